package dev.verbena.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The site of this very tree: everything in it leads somewhere. */
class SiteTest {
    private static final Path TREE = Path.of(System.getProperty("verbena.home"));
    private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"]*)\"");
    private static final Pattern MARKDOWN_LEFT = Pattern.compile("<p>\\||]\\(|<p>#|<p>```");

    @TempDir
    private Path folder;

    private Path make() throws IOException {
        Path api = Files.createDirectories(folder.resolve("apidocs/dev"));
        Files.writeString(api.resolveSibling("index.html"), "API");
        Files.writeString(api.resolve("Tensor.html"), "Tensor");
        Path sparkApi = Files.createDirectories(folder.resolve("apidocs-spark"));
        Files.writeString(sparkApi.resolve("index.html"), "API for Spark");
        Path site = folder.resolve("site");
        Site.main(new String[]{TREE.toString(), site.toString(), api.getParent().toString(), sparkApi.toString()});
        return site;
    }

    private static List<Path> pages(Path site) throws IOException {
        try (Stream<Path> all = Files.walk(site)) {
            return all.filter(file -> file.toString().endsWith(".html") && !file.startsWith(site.resolve(Site.API))
                    && !file.startsWith(site.resolve(Site.SPARK_API))).toList();
        }
    }

    @Test
    void allReferencesLeadSomewhere() throws IOException {
        Path site = make();
        List<String> broken = new ArrayList<>();
        int references = 0;
        for (Path page : pages(site)) {
            for (MatchResult reference : REFERENCE.matcher(Files.readString(page)).results().toList()) {
                String to = reference.group(1);
                if (to.matches("(https?|mailto|data):.*")) {
                    continue;
                }
                references++;
                String[] parts = to.split("#", 2);
                Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).normalize();
                if (!Files.isRegularFile(file)
                        || parts.length > 1 && !Files.readString(file).contains("id=\"" + parts[1] + "\"")) {
                    broken.add(site.relativize(page) + ": " + to);
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(references > 300, "references: " + references);
        assertTrue(Files.exists(site.resolve("docs/images/one-write.svg")), "pictures are taken along");
        assertTrue(Files.exists(site.resolve("api/dev/Tensor.html")), "the API too");
    }

    @Test
    void eachDocumentIsAPageWithItsTitleAndItsTables() throws IOException {
        Path site = make();
        List<Path> pages = pages(site);
        try (Stream<Path> guides = Files.list(TREE.resolve("docs/guide"))) {
            assertTrue(pages.size() > guides.count(), pages::toString);
        }
        for (Path page : pages) {
            String html = Files.readString(page);
            assertFalse(MARKDOWN_LEFT.matcher(html).find(), page::toString);
            assertFalse(html.contains("<title>" + site.relativize(page)), page::toString);
        }
        String first = Files.readString(site.resolve("index.html"));
        assertTrue(first.contains("<title>Verbena</title>") && first.contains("<table>"), first);
        String performance = Files.readString(site.resolve("docs/PERFORMANCE.html"));
        assertTrue(performance.contains("<a href=\"../api/index.html\">API</a>"), performance);
    }

    @Test
    void whatAnEarlierOneHasLeftIsGone() throws IOException {
        Path site = make();
        Files.writeString(site.resolve("docs/guide/of-old.html"), "gone");
        make();
        assertFalse(Files.exists(site.resolve("docs/guide/of-old.html")));
        assertTrue(Files.exists(site.resolve("docs/guide/README.html")));
    }
}
