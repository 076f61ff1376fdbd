package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

/** What docs/PARITY.md names, exists: each test, each type and each method. */
class ParityTest {
    /** A type, or a type and a member, in back quotes. */
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?`");
    private static final int API_COLUMN = 1;
    private static final int TEST_COLUMN = 2;
    private static final int COLUMNS = 3;

    @Test
    void whatIsNamedExists() throws IOException {
        List<String> rows = rows(Files.readString(Repository.root().resolve("docs/PARITY.md")));
        assertTrue(rows.size() > 30, "rows found: " + rows.size());
        assertEquals(List.of(), wrong(rows, sources()));
    }

    @Test
    void whatDoesNotExistIsFound() {
        Map<String, String> sources = Map.of("QueuePair", "class QueuePair { int post(", "ATest", "void fits() {");
        assertEquals(List.of(),
                wrong(rows("| a | `QueuePair.post`, `QueuePair` | `ATest.fits`, `ATest` |\n"), sources));
        assertEquals(List.of(), wrong(rows("| `CQ` | none | not of soft-RoCE |\n"), sources));
        for (String row : List.of("| a | `Queue` | `ATest` |", "| a | `QueuePair.pos` | `ATest` |",
                "| a | none | `BTest` |", "| a | none | `ATest.fit` |", "| a | none | |", "| a | `QueuePair` |")) {
            assertEquals(1, wrong(rows(row + "\n"), sources).size(), row);
        }
        assertEquals(0, rows("| pyverbs | our API | test |\n|---|---|---|\ntext\n").size());
    }

    /** Of tables, without their heads. */
    private static List<String> rows(String text) {
        List<String> rows = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("|---")) {
                rows.removeLast();
            } else if (line.startsWith("|")) {
                rows.add(line);
            }
        }
        return rows;
    }

    private static List<String> wrong(List<String> rows, Map<String, String> sources) {
        List<String> wrong = new ArrayList<>();
        for (String row : rows) {
            String[] cells = row.substring(1).split("\\|");
            if (cells.length != COLUMNS || cells[TEST_COLUMN].isBlank()) {
                wrong.add("needs " + COLUMNS + " cells with words: " + row);
                continue;
            }
            Matcher named = NAMED.matcher(cells[API_COLUMN] + cells[TEST_COLUMN]);
            while (named.find()) {
                String source = sources.get(named.group(1));
                if (source == null || named.group(2) != null && !declares(source, named.group(2))) {
                    wrong.add("there is no " + named.group() + ": " + row);
                }
            }
        }
        return wrong;
    }

    /** As a method, an enum's constant or a record's component: a name and what may follow it there. */
    private static boolean declares(String source, String member) {
        return Pattern.compile("\\b" + member + "[(,);]").matcher(source).find();
    }

    /** By the name of their type; modules may have types of the same name. */
    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path file : Repository.files(".java")) {
            sources.merge(file.getFileName().toString().replace(".java", ""), Files.readString(file), String::concat);
        }
        return sources;
    }
}
