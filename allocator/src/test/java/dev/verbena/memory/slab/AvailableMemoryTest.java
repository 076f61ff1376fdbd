package dev.verbena.memory.slab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.NumaNodes;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.SlabOptions;

class AvailableMemoryTest {
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    @Test
    void figuresAreAddedUp() throws IOException {
        Path file = Files.writeString(folder.resolve("meminfo"), """
                Node 0 MemFree:         1000 kB
                Node 0 MemUsed:       999999 kB
                Node 0 Active(file):      20 kB
                """);
        assertEquals(1020 * 1024, AvailableMemory.sum(file, List.of("MemFree:", "Active(file):")));
        assertEquals(Long.MAX_VALUE, AvailableMemory.sum(folder.resolve("none"), List.of("MemFree:")));
    }

    @Test
    void moreThanThereIsIsRefusedWithNeedAndHave() {
        AvailableMemory.check(4096, SlabOptions.ANY_NODE);
        String message = assertThrows(OutOfArenaMemoryException.class,
                () -> AvailableMemory.check(1L << 60, SlabOptions.ANY_NODE)).getMessage();
        assertTrue(message.contains("need " + (1L << 60)) && message.contains("have "), message);
        for (int node : NumaNodes.all()) {
            message = assertThrows(OutOfArenaMemoryException.class, () -> AvailableMemory.check(1L << 60, node))
                    .getMessage();
            assertTrue(message.contains("node" + node + "/meminfo"), message);
        }
    }

    /** Of address space there is as much as the machine has memory; of memory, some is in use. */
    @Test
    void aSlabIsNotCommittedThatTakesAllThereIs() {
        long allButABit = AvailableMemory.sum(Path.of("/proc/meminfo"), List.of("MemTotal:", "SwapTotal:")) - 16 * MIB;
        OffHeapSlabSource source = new OffHeapSlabSource(SlabOptions.defaults().withPrefaultThreads(1)
                .withPrefaultListener((done, byteSize) -> {
                    throw new AssertionError("about to commit all memory");
                }));
        assertThrows(OutOfArenaMemoryException.class, () -> source.acquire(allButABit & -4096));
        assertEquals(0, source.heldByteSize());
    }
}
