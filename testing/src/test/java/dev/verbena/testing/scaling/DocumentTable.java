package dev.verbena.testing.scaling;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** The rows of the first table behind a heading of a document, without their head. */
record DocumentTable(List<List<String>> rows) {
    private static final Path DOCUMENT = Path.of(System.getProperty("verbena.home"), "docs/SCALING.md");

    static DocumentTable behind(String heading) {
        try {
            List<String> lines = Files.readAllLines(DOCUMENT);
            int start = lines.indexOf(heading);
            if (start < 0) {
                throw new AssertionError(DOCUMENT + " has no heading '" + heading + "'");
            }
            return new DocumentTable(lines.stream().skip(start).dropWhile(line -> !line.startsWith("|"))
                    .takeWhile(line -> line.startsWith("|")).skip(2).map(DocumentTable::cells).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(DOCUMENT + " cannot be read", e);
        }
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.substring(1, line.length() - 1).split("\\|")).map(String::strip).toList();
    }

    /** A cell as a number: {@code 1,024} is 1024. */
    static long number(String cell) {
        return Long.parseLong(cell.replace(",", ""));
    }
}
