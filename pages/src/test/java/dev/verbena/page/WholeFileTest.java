package dev.verbena.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WholeFileTest {
    @TempDir
    private Path folder;

    @Test
    void itIsCheckedWithoutATraceAndReplacesWhatIsThere() throws IOException {
        Path path = Files.writeString(folder.resolve("a"), "before");
        WholeFile file = WholeFile.check("--report", path);
        assertEquals("before", Files.readString(path));
        file.write("behind");
        assertEquals("behind", Files.readString(path));
        assertEquals(List.of(path), files());
    }

    @Test
    void whatCannotBeWrittenIsSaidBefore() {
        assertEquals("--report=" + folder + " is a folder; give a file",
                assertThrows(IllegalArgumentException.class, () -> WholeFile.check("--report", folder)).getMessage());
        Path lost = folder.resolve("no/a");
        assertEquals("--json=" + lost + " cannot be written: there is no folder " + lost.getParent()
                + "; give a file in a folder that exists and can be written to",
                assertThrows(IllegalArgumentException.class, () -> WholeFile.check("--json", lost)).getMessage());
    }

    /** As where somebody takes the folder away meanwhile. */
    @Test
    void whatFailsAllTheSameIsSaidAndLeavesNothing() throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        WholeFile file = WholeFile.check("--report", inner.resolve("a"));
        Files.delete(inner);
        String said = assertThrows(IOException.class, () -> file.write("text")).getMessage();
        assertTrue(said.endsWith("could not be written: there is no folder " + inner), said);
        assertEquals(List.of(), files());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
