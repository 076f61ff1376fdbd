package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the format allows, and what it says about what it does not. */
class TraceTextTest {
    private static final Trace SMALL = new Trace(List.of(new TraceEvent.Allocate(0, 64, 0), new TraceEvent.Mark(),
            new TraceEvent.Allocate(1, 5_000_000_000L, 1), new TraceEvent.Free(0, 1), new TraceEvent.Free(1, 0)));

    @Test
    void linesReadAsDocumented() throws IOException {
        assertEquals("verbena-trace 1\n# two\n# lines\na 0 64\ni\na 1 5000000000 1\nf 0 1\nf 1\n",
                TraceText.print(SMALL, "two\nlines"));
        assertEquals(SMALL,
                parse("verbena-trace 1\n\n  # blanks and tabs\n a  0\t64 0\ni\na 1 5000000000 1\nf 0 1\nf 1 0"));
        assertEquals(new Trace(List.of()), parse("verbena-trace 1"));
    }

    @Test
    void filesMayBeCompressed(@TempDir Path folder) throws IOException {
        for (String name : List.of("plain.trace", "small.trace.gz")) {
            Path file = folder.resolve(name);
            TraceText.write(SMALL, "", file);
            assertEquals(SMALL, TraceText.read(file));
            assertEquals(name.endsWith(".gz"), Files.readAllBytes(file)[0] == 0x1f, name);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', nullValues = "", textBlock = """
            x 1            | 2 | 'x' begins no line of a trace: use a (allocate)
            a 0            | 2 | fields=2: the line must read 'a ID BYTES [THREAD]'
            a 0 1 2 3      | 2 | fields=5: the line must read 'a ID BYTES [THREAD]'
            i 1            | 2 | fields=2: the line must read 'i'
            a zero 1       | 2 | ID=zero must be a whole number
            a 0 1e6        | 2 | BYTES=1e6 must be a whole number
            a 0 -1         | 2 | byteSize=-1 of id=0 must be 0 or more
            a 0 1 256      | 2 | thread=256 must be 0 or more and less than 256
            a 1 1          | 2 | allocation of id=1 must have id=0
            f 0            | 2 | free of id=0 which is not allocated yet
            f -1           | 2 | free of id=-1 which is not allocated yet
            a 0 1;f 0;f 0  | 4 | second free of id=0
            a 0 1;a 0 1    | 3 | allocation of id=0 must have id=1
            a 0 1;f 0 -1   | 3 | thread=-1 must be 0 or more
            #;a 0 1        | 3 | the trace ends with 1 live, the first of id=0
            """)
    void anErrorHasFileLineAndRemedy(String lines, int line, String message) {
        TraceFormatException thrown = assertThrows(TraceFormatException.class,
                () -> parse("verbena-trace 1\n" + lines.replace(';', '\n')));
        assertTrue(thrown.getMessage().startsWith("my.trace:" + line + ": " + message), thrown::getMessage);
    }

    @ParameterizedTest
    @CsvSource({"verbena-trace 2, another version of the format", "a 0 1, is this a trace?", "'', is this a trace?"})
    void theFirstLineIsTheFormat(String first, String hint) {
        TraceFormatException thrown = assertThrows(TraceFormatException.class, () -> parse(first + "\n"));
        assertTrue(thrown.getMessage().startsWith("my.trace:1: the first line must be 'verbena-trace 1'"),
                thrown::getMessage);
        assertTrue(thrown.getMessage().contains(hint), thrown::getMessage);
        assertTrue(assertThrows(TraceFormatException.class, () -> parse("")).getMessage().contains("file is empty"));
    }

    @Test
    void whatIsBuiltObeysTheSameRules() {
        IllegalArgumentException thrown = assertThrows(IllegalArgumentException.class, () -> new Trace(
                List.of(new TraceEvent.Allocate(0, 1, 0), new TraceEvent.Free(0, 0), new TraceEvent.Free(0, 0))));
        assertTrue(thrown.getMessage().startsWith("event 2: second free of id=0"), thrown::getMessage);
    }

    private static Trace parse(String text) throws IOException {
        return TraceText.parse("my.trace", new StringReader(text));
    }
}
