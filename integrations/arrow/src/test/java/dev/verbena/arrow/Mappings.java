package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.apache.arrow.memory.ArrowBuf;

/** What the kernel says of this process's memory (proc_pid_maps(5)). */
final class Mappings {
    private Mappings() {}

    /** That all of it lies in shared memory that this process may only read. */
    static void assertBorrowed(ArrowBuf buffer) {
        for (long address : new long[]{buffer.memoryAddress(), buffer.memoryAddress() + buffer.capacity() - 1}) {
            String rights = rightsAt(address);
            assertTrue(rights.equals("r--s"), () -> buffer + " lies in memory of rights=" + rights);
        }
    }

    private static String rightsAt(long address) {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
                String[] fields = line.split("[ -]+");
                if (Long.compareUnsigned(Long.parseUnsignedLong(fields[0], 16), address) <= 0
                        && Long.compareUnsigned(address, Long.parseUnsignedLong(fields[1], 16)) < 0) {
                    return line.split(" ")[1];
                }
            }
            return "none";
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
