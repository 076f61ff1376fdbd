package dev.verbena.site;

import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

import dev.verbena.page.Page;

/**
 * A document in Markdown as a page, whose links lead to the pages of others.
 *
 * <p><b>Owner:</b> {@link Site}. <b>Threading:</b> confined to its thread.
 */
final class DocumentPage {
    private static final String MARKDOWN = ".md";
    private static final String HTML = ".html";
    private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create(),
            HeadingAnchorExtension.create());
    private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();
    private static final HtmlRenderer RENDERER = HtmlRenderer.builder().extensions(EXTENSIONS).build();
    private static final String STYLE = Page.resource(DocumentPage.class, "site.css");

    private final Path document;
    private final Node content;
    private final Set<Path> otherFiles = new LinkedHashSet<>();
    private String title;

    /** @param document where it lies in the source tree */
    DocumentPage(Path document, String markdown) {
        this.document = document;
        this.content = PARSER.parse(markdown);
        content.accept(new Links());
    }

    /** Where the page of that document lies in the site: that of the README at its top is the first. */
    static String nameOf(Path document) {
        String name = document.toString();
        return (name.equals("README.md") ? "index" : name.substring(0, name.length() - MARKDOWN.length())) + HTML;
    }

    /** In the source tree, that it leads to or shows, and that are no documents. */
    Set<Path> otherFiles() {
        return otherFiles;
    }

    String html() {
        Page page = new Page(title == null ? document.toString() : title, STYLE);
        page.add("<nav>" + entry("README.md", "Verbena") + entry("docs/guide/README.md", "Guides")
                + entry("docs/PERFORMANCE.md", "Performance") + entry("docs/COMPARISON.md", "Comparison")
                + entry("docs/ARCHITECTURE.md", "Architecture") + link(Path.of(Site.API, "index.html"), "API")
                + link(Path.of(Site.SPARK_API, "index.html"), "API for Spark") + "</nav>\n<main>\n");
        page.add(RENDERER.render(content));
        page.add("</main>\n");
        return page.end();
    }

    private String entry(String target, String words) {
        return link(Path.of(nameOf(Path.of(target))), words);
    }

    private String link(Path target, String words) {
        return "<a href=\"" + fromHere(target) + "\">" + words + "</a>";
    }

    private String fromHere(Path target) {
        Path folder = document.getParent();
        return (folder == null ? target : folder.relativize(target)).toString();
    }

    /** Makes links to documents links to pages; and hears what else there is to take along, and how the document is called. */
    private final class Links extends AbstractVisitor {
        @Override
        public void visit(Link link) {
            link.setDestination(translated(link.getDestination()));
            visitChildren(link);
        }

        @Override
        public void visit(Image image) {
            image.setDestination(translated(image.getDestination()));
            visitChildren(image);
        }

        @Override
        public void visit(Heading heading) {
            if (title == null) {
                StringBuilder words = new StringBuilder();
                heading.accept(new Words(words));
                title = words.toString();
            }
            visitChildren(heading);
        }

        private String translated(String destination) {
            int anchorAt = destination.indexOf('#');
            String file = anchorAt < 0 ? destination : destination.substring(0, anchorAt);
            if (file.isEmpty() || file.contains(":")) {
                return destination;
            }
            Path target = document.resolveSibling(file).normalize();
            if (file.endsWith(MARKDOWN)) {
                return fromHere(Path.of(nameOf(target))) + (anchorAt < 0 ? "" : destination.substring(anchorAt));
            }
            otherFiles.add(target);
            return destination;
        }
    }

    private static final class Words extends AbstractVisitor {
        private final StringBuilder words;

        Words(StringBuilder words) {
            this.words = words;
        }

        @Override
        public void visit(Text text) {
            words.append(text.getLiteral());
        }

        @Override
        public void visit(Code code) {
            words.append(code.getLiteral());
        }
    }
}
