package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

/**
 * What docs/PARITY.md names, exists: of ours each type, member and test, and of rdma-core each test; and each file of
 * rdma-core's tests is named.
 */
class ParityTest {
    private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
    private static final Pattern THEIRS = Pattern.compile("\\btest_\\w+");
    /** One provider's, of which rdma-core has more files than of all verbs. */
    private static final String MLX5 = "test_mlx5";
    private static final int THEIR_COLUMN = 0;
    private static final int API_COLUMN = 1;
    private static final int TEST_COLUMN = 2;
    private static final int COLUMNS = 3;

    @Test
    void whatIsNamedExists() throws Exception {
        List<String> rows = rows(Files.readString(Guests.HOME.resolve("docs/PARITY.md")));
        assertTrue(rows.size() > 30, "rows found: " + rows.size());
        try (CompiledNames names = CompiledNames.of(Guests.HOME)) {
            assertEquals(List.of(), wrong(rows, names));
        }
    }

    @Test
    void whatDoesNotExistIsFound() throws Exception {
        try (CompiledNames names = CompiledNames.of(Guests.HOME)) {
            for (String row : List.of("| a | `QueuePair.post`, `QueuePair`, `query` | `ParityTest.whatIsNamedExists` |",
                    "| `CQ` | none | not of soft-RoCE |",
                    "| a | `AccessFlag.ON_DEMAND`, `REMOTE_READ` | `ParityTest` |",
                    "| a | `examples.Rping` | why not |", "| a | `java.net.InetSocketAddress` | why not |")) {
                assertEquals(List.of(), wrong(rows(row + "\n"), names), row);
            }
            for (String row : List.of("| a | `Queue` | `ParityTest` |", "| a | `QueuePair.pos` | `ParityTest` |",
                    "| a | `QueuePair.of` | not public |", "| a | `Guard` | not public |", "| a | `query` | of what |",
                    "| a | none | `BTest` |", "| a | none | `ParityTest.rows` |", "| a | none | `RcPingpong` |",
                    "| a | none | |", "| a | `QueuePair` |")) {
                assertEquals(1, wrong(rows(row + "\n"), names).size(), row);
            }
        }
        assertEquals(0, rows("| pyverbs | our API | test |\n|---|---|---|\ntext\n").size());
    }

    @Test
    void whatIsNamedOfRdmaCoreExistsAndNoFileIsLeftOut() throws IOException {
        List<String> rows = rows(Files.readString(Guests.HOME.resolve("docs/PARITY.md")));
        Set<String> named = new TreeSet<>();
        for (String row : rows) {
            THEIRS.matcher(cells(row)[THEIR_COLUMN]).results().map(each -> each.group()).forEach(named::add);
        }
        Set<String> files = new TreeSet<>(theirs(line -> Stream.of(line.split(":")[0])));
        Set<String> all = new TreeSet<>(theirs(line -> Stream.of(line.split(":? "))));
        assertTrue(files.size() > 20 && all.size() > 200, "files=" + files.size() + " names=" + all.size());
        assertEquals(List.of(), named.stream().filter(name -> !all.contains(name) && !name.equals(MLX5)).toList());
        assertEquals(List.of(), files.stream().filter(file -> !named.contains(file)).toList());
    }

    private static List<String> theirs(Function<String, Stream<String>> names) throws IOException {
        try (InputStream list = ParityTest.class.getResourceAsStream("rdma-core-tests.txt")) {
            return new String(list.readAllBytes(), StandardCharsets.UTF_8).lines().skip(1).flatMap(names).toList();
        }
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

    private static String[] cells(String row) {
        return row.substring(1).split("\\|");
    }

    private static List<String> wrong(List<String> rows, CompiledNames names) {
        List<String> wrong = new ArrayList<>();
        for (String row : rows) {
            String[] cells = cells(row);
            if (cells.length != COLUMNS || cells[TEST_COLUMN].isBlank()) {
                wrong.add("needs " + COLUMNS + " cells with words: " + row);
                continue;
            }
            String type = "";
            for (int column : new int[]{API_COLUMN, TEST_COLUMN}) {
                Matcher quoted = QUOTED.matcher(cells[column]);
                while (quoted.find()) {
                    String name = quoted.group(1).replaceAll("\\(.*", "");
                    boolean exists;
                    if (CompiledNames.isMember(name)) {
                        // Of the type named before it.
                        exists = names.hasApi(type, name);
                    } else {
                        type = CompiledNames.typeOf(name);
                        String member = CompiledNames.memberOf(name);
                        exists = column == API_COLUMN && names.hasApi(type, member) || names.hasTest(type, member)
                                || column == API_COLUMN && names.hasExample(type, member);
                    }
                    if (!exists) {
                        wrong.add("there is no " + quoted.group() + ": " + row);
                    }
                }
            }
        }
        return wrong;
    }
}
