package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check must see what it is there for. */
class LeakCheckTest {
    @TempDir
    Path directory;

    @Test
    void seesNamesMappingsAndDescriptors() throws IOException {
        LeakCheck check = LeakCheck.begin(directory);
        check.assertNothingGrew();
        Path file = Files.createFile(directory.resolve("left"));
        assertSees(check, "names=[" + file);
        try (Arena arena = Arena.ofShared()) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                Files.delete(file);
                assertSees(check, "descriptors=[" + file);
                channel.map(FileChannel.MapMode.READ_WRITE, 0, 4096, arena);
            }
            assertSees(check, "left (deleted)");
        }
        check.assertNothingGrew();
        try (ServerSocketChannel socket = ServerSocketChannel.open()) {
            assertTrue(socket.isOpen());
            assertSees(check, "socket:");
        }
        check.assertNothingGrew();
    }

    private static void assertSees(LeakCheck check, String what) {
        String message = assertThrows(AssertionError.class, () -> check.assertNothingGrew(0)).getMessage();
        assertTrue(message.contains(what), message);
    }
}
