package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

class OffHeapSlabSourceTest {
    private static final long MIB = 1024 * 1024;
    private static final long GIB = 1024 * MIB;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Test
    void slabsAreWholePagesAlignedAndZeroed() {
        Slab slab = source.acquire(10_000);
        assertEquals(12_288, slab.memory().byteSize());
        assertEquals(0, slab.memory().address() % 4096);
        for (long offset = 0; offset < 12_288; offset++) {
            assertEquals(0, slab.memory().get(ValueLayout.JAVA_BYTE, offset));
        }
        slab.memory().set(ValueLayout.JAVA_BYTE, 12_287, (byte) 1);
        assertEquals(12_288, source.heldByteSize());
        source.release(slab);
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void pagesAreCommittedWhenTouchedAndGoBack() throws IOException {
        long sizeBefore = status("VmSize");
        Slab slab = source.acquire(4 * GIB + 1);
        long residentBefore = status("VmRSS");
        assertTrue(status("VmSize") - sizeBefore >= 4 * GIB);
        slab.memory().asSlice(4 * GIB - 32 * MIB, 32 * MIB).fill((byte) 1);
        long residentTouched = status("VmRSS");
        assertTrue(residentTouched - residentBefore >= 24 * MIB && residentTouched - residentBefore < GIB);
        source.release(slab);
        assertTrue(status("VmSize") - sizeBefore < GIB);
        assertTrue(residentTouched - status("VmRSS") >= 24 * MIB);
        assertThrows(IllegalStateException.class, () -> slab.memory().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whatTheSystemRefusesIsSaidClearly() {
        String message = assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(1L << 56)).getMessage();
        assertTrue(message.contains("byteSize=" + (1L << 56)) && message.contains("errno=12"), message);
        assertEquals(0, source.heldByteSize());
        Slab slab = source.acquire(1);
        source.release(slab);
    }

    @Test
    void badRequestsAreRefused() {
        for (long byteSize : new long[]{0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> source.acquire(byteSize));
        }
        Slab slab = source.acquire(1);
        assertThrows(IllegalArgumentException.class, () -> new OffHeapSlabSource().release(slab));
        assertThrows(IllegalArgumentException.class, () -> source.release(slab::memory));
        source.release(slab);
        assertThrows(IllegalStateException.class, () -> source.release(slab));
    }

    private static long status(String field) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(candidate -> candidate.startsWith(field + ":")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
    }
}
