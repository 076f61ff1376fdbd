package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/** Links of the documents lead somewhere, and the messages that they explain are the program's. */
class DocumentsTest {
    private static final String INDEX = "docs/guide/README.md";
    private static final int README_WORDS_MAX = 700;
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:|mailto:)([^)#\\s]*)(?:#([^)\\s]*))?\\)");
    private static final Pattern NAMED_FILE = Pattern.compile("`((?:docs/|\\./)[\\w./-]+)");
    private static final Pattern CODE = Pattern.compile("```.*?```", Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern FIRST_CELL = Pattern.compile("^\\| ([^|]*`[^|]*) \\|", Pattern.MULTILINE);
    private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");
    /** Literals that a source adds up over several lines. */
    private static final Pattern SUM = Pattern.compile("\"\\s*\\+\\s*\"");
    private static final int PIECE_LENGTH_MIN = 6;

    @Test
    void linksLeadSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path document : documents()) {
            for (MatchResult link : LINK.matcher(prose(document)).results().toList()) {
                links++;
                Path target = link.group(1).isEmpty() ? document : document.resolveSibling(link.group(1)).normalize();
                if (!Files.exists(target) || link.group(2) != null && !anchors(target).contains(link.group(2))) {
                    broken.add(Repository.root().relativize(document) + ": " + link.group());
                }
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(links >= 30, "links found: " + links);
        assertEquals("several-queue-pairs-for-one-tensor", anchor("Several queue pairs for one tensor"));
        assertEquals("which-device-port-and-gid", anchor("Which device, port and GID"));
    }

    @Test
    void namedFilesExist() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path document : documents()) {
            NAMED_FILE.matcher(Files.readString(document)).results().map(file -> file.group(1))
                    .filter(file -> !Files.exists(Repository.root().resolve(file)))
                    .forEach(file -> missing.add(Repository.root().relativize(document) + ": " + file));
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void readmeIsShortAndLeadsToEveryGuide() throws IOException {
        String readme = Files.readString(Repository.root().resolve("README.md"));
        int words = readme.strip().split("\\s+").length;
        assertTrue(words <= README_WORDS_MAX, "words of the README: " + words);
        assertTrue(readme.contains("](" + INDEX + ")"), "it links " + INDEX);
        String index = Files.readString(Repository.root().resolve(INDEX));
        try (Stream<Path> guides = Files.list(Repository.root().resolve("docs/guide"))) {
            assertEquals(List.of(), guides.map(guide -> guide.getFileName().toString())
                    .filter(guide -> guide.endsWith(".md") && !guide.equals("README.md"))
                    .filter(guide -> !index.contains("](" + guide + ")")).toList());
        }
    }

    @Test
    void messagesThatAreExplainedAreThoseOfThePrograms() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path source : Repository.files(".java")) {
            if (source.toString().contains("/src/main/java/")) {
                text.append(Files.readString(source));
            }
        }
        String sources = SUM.matcher(text).replaceAll("");
        List<String> pieces = FIRST_CELL.matcher(prose(Repository.root().resolve("docs/guide/troubleshooting.md")))
                .results().flatMap(cell -> QUOTED.matcher(cell.group(1)).results())
                .flatMap(message -> Stream.of(message.group(1).split("\\.\\.\\."))).map(String::strip)
                .filter(piece -> piece.length() >= PIECE_LENGTH_MIN).toList();
        assertTrue(pieces.size() >= 25, pieces::toString);
        assertEquals(List.of(), pieces.stream().filter(piece -> !sources.contains(piece)).toList());
    }

    private static List<Path> documents() throws IOException {
        return Repository.files(".md");
    }

    private static String prose(Path document) throws IOException {
        return CODE.matcher(Files.readString(document)).replaceAll("");
    }

    private static List<String> anchors(Path document) throws IOException {
        return HEADING.matcher(prose(document)).results().map(heading -> anchor(heading.group(1)))
                .collect(Collectors.toList());
    }

    /** As sites make them of headings: lower case, no punctuation, hyphens for spaces. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
    }
}
