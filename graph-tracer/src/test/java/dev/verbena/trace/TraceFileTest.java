package dev.verbena.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceFileTest {
    private static final String GOOD = "verbena-trace 1\nnode\t0\t10\t20\ta\nend 1\n";

    @TempDir
    private Path folder;

    private static Tracer traced(TracerOptions options) {
        Tracer tracer = Tracer.create(options, address -> false);
        for (String node : List.of("a", "b\twith\\all\r\nkinds of = # \u00e9", "not sent")) {
            tracer.enterNode(node);
            tracer.allocated(100, 10);
            tracer.allocated(200, 30);
            if (!node.startsWith("not")) {
                tracer.sent(200);
            }
        }
        tracer.endIteration();
        return tracer;
    }

    @Test
    void whatIsLoadedIsWhatWasSaved() throws IOException {
        Path file = folder.resolve("trace");
        Tracer saved = traced(TracerOptions.defaults());
        saved.save(file);
        Tracer loaded = Tracer.load(file, TracerOptions.defaults(), address -> false);
        assertEquals(List.of("a#1", "b\twith\\all\r\nkinds of = # \u00e9#1"),
                loaded.sites().stream().map(SiteStatistics::name).toList());
        assertEquals(60, loaded.statistics().registeredByteSize());
        loaded.enterNode("a");
        assertFalse(loaded.isRegistered(10));
        loaded.allocated(100, 10);
        assertTrue(loaded.isRegistered(30), "in the first iteration");
        Path again = folder.resolve("again");
        loaded.save(again);
        assertEquals(Files.readString(file), Files.readString(again));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(2, files.count(), "nothing is left beside them");
        }
    }

    @Test
    void aSavedTraceKnowsNoBudget() throws IOException {
        Path file = folder.resolve("trace");
        Tracer limited = traced(TracerOptions.defaults().withRegisteredByteSizeMax(30));
        assertEquals(1, limited.statistics().sitesLeftOut());
        limited.save(file);
        assertEquals(0, Tracer.load(file, TracerOptions.defaults(), address -> false).statistics().sitesLeftOut());
        assertEquals(1, Tracer.load(file, TracerOptions.defaults().withRegisteredByteSizeMax(30), address -> false)
                .statistics().sitesLeftOut());
    }

    @Test
    void damagedAndForeignFilesAreNamedWithTheirLine() throws IOException {
        assertEquals(1, loaded(GOOD).sites().size());
        says(":1: not a saved trace: it does not begin with 'verbena-trace 1'", "");
        says(":1: not a saved trace: it does not begin with 'verbena-trace 1'", "a 100 10\n");
        says(":1: version 'verbena-trace 2' is not known; this one reads 'verbena-trace 1'",
                "verbena-trace 2\nend 0\n");
        says(":1: the file is cut off: it does not end with 'end COUNT'", "verbena-trace 1");
        says(":3: the file is cut off: it does not end with 'end COUNT'", GOOD.substring(0, GOOD.indexOf("end")));
        says(":3: the file is cut off: it does not end with 'end COUNT'", GOOD.substring(0, GOOD.length() - 1));
        says(":3: sites=1 but the file says 'end 2'", GOOD.replace("end 1", "end 2"));
        says(":3: 'x' is no number from 0 to 2147483647", GOOD.replace("end 1", "end x"));
        says(":2: fields=4 of 5, separated by tabs", GOOD.replace("20\ta", "20 a"));
        says(":2: kind 'edge' is neither node nor call", GOOD.replace("node", "edge"));
        says(":2: '-1' is no number from 0 to 2147483647", GOOD.replace("\t0\t", "\t-1\t"));
        says(":2: '1e3' is no number from 0 to 9223372036854775807", GOOD.replace("20", "1e3"));
        says(":2: a backslash that is followed by neither \\, n nor r", GOOD.replace("\ta\n", "\ta\\\n"));
        says(":3: site 'a#0' is there twice", GOOD.replace("end 1", "node\t0\t1\t1\ta\nend 2"));
    }

    @Test
    void bytesThatAreNoTextAreNoTrace() throws IOException {
        Path file = folder.resolve("bytes");
        Files.write(file, new byte[]{(byte) 0xff, (byte) 0xfe, 0, 1});
        String message = assertThrows(IOException.class, () -> load(file)).getMessage();
        assertTrue(message.startsWith(file + ":1: not text"), message);
    }

    @Test
    void whatCannotBeWrittenLeavesWhatWasThere() throws IOException {
        Path file = Files.createDirectories(folder.resolve("trace/inner")).getParent();
        assertThrows(IOException.class, () -> traced(TracerOptions.defaults()).save(file));
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(file), files.toList());
        }
    }

    private static Tracer load(Path file) throws IOException {
        return Tracer.load(file, TracerOptions.defaults(), address -> false);
    }

    private Tracer loaded(String text) throws IOException {
        return load(Files.writeString(folder.resolve("trace"), text));
    }

    private void says(String expected, String text) {
        String message = assertThrows(IOException.class, () -> loaded(text), text).getMessage();
        assertEquals(folder.resolve("trace") + expected, message);
    }
}
