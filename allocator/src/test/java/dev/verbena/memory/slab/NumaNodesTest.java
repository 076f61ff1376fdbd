package dev.verbena.memory.slab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.memory.NumaNodes;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabOptions;

class NumaNodesTest {
    private static final int NOBODYS = 1023;

    @TempDir
    Path folder;

    @Test
    void listsAreReadAsTheKernelWritesThem() throws IOException {
        assertEquals(List.of(), NodeMemory.parse(""));
        assertEquals(List.of(0), NodeMemory.parse("0"));
        assertEquals(List.of(0, 1, 3, 10, 11, 12), NodeMemory.parse("0-1,3,10-12"));
        Files.writeString(folder.resolve("has_memory"), "0,2-3\n");
        assertEquals(List.of(0, 2, 3), NodeMemory.all(folder));
    }

    @Test
    void aNodeThatIsNotThereIsRefusedClearly() throws IOException {
        Files.writeString(folder.resolve("has_memory"), "0,2-3\n");
        NodeMemory.check(folder, 2);
        String message = assertThrows(IllegalArgumentException.class, () -> NodeMemory.check(folder, 1)).getMessage();
        assertTrue(message.contains("numaNode=1") && message.contains("[0, 2, 3]"), message);
        message = assertThrows(IllegalArgumentException.class, () -> NodeMemory.check(folder.resolve("none"), 0))
                .getMessage();
        assertTrue(message.contains("no NUMA nodes"), message);
    }

    @Test
    void aSourceOfSuchANodeCannotBeMade() {
        SlabOptions nobodys = SlabOptions.defaults().withNumaNode(NOBODYS);
        assertThrows(IllegalArgumentException.class, () -> new OffHeapSlabSource(nobodys));
        OffHeapSlabSource source = new OffHeapSlabSource();
        assertThrows(IllegalArgumentException.class, () -> source.acquire(4096, nobodys));
        assertThrows(IllegalArgumentException.class, () -> NumaNodes.bind(MemorySegment.NULL, NOBODYS));
        assertThrows(IllegalArgumentException.class, () -> SlabOptions.defaults().withNumaNode(-2));
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void slabsAreBoundToTheirNode() throws IOException {
        int node = boundNode();
        for (PageKind pages : PageKind.values()) {
            OffHeapSlabSource source = new OffHeapSlabSource(
                    SlabOptions.defaults().withPages(pages).withNumaNode(node).withPrefaultThreads(1));
            Slab slab = source.acquire(5_000_000);
            assertEquals("bind:" + node, MemoryMaps.numaPolicy(slab.memory().address()));
            assertEquals(node, slab.backing().numaNode());
            assertTrue(slab.backing().toString().contains("numaNode=" + node), slab.toString());
            source.release(slab);
        }
    }

    @Test
    void memoryInUseKeepsItsContents() throws IOException {
        int node = boundNode();
        OffHeapSlabSource source = new OffHeapSlabSource();
        Slab slab = source.acquire(1 << 20);
        slab.memory().fill((byte) 7);
        assertEquals("default", MemoryMaps.numaPolicy(slab.memory().address()));
        NumaNodes.bind(slab.memory(), node);
        assertEquals("bind:" + node, MemoryMaps.numaPolicy(slab.memory().address()));
        assertEquals(-1, slab.memory().asSlice(1).mismatch(slab.memory().asSlice(0, (1 << 20) - 1)));
        assertEquals(7, slab.memory().get(ValueLayout.JAVA_BYTE, 0));
        source.release(slab);
    }

    @Test
    void memoryThatCannotBeBoundIsRefused() {
        int node = boundNode();
        OffHeapSlabSource source = new OffHeapSlabSource();
        Slab slab = source.acquire(8192);
        String message = assertThrows(IllegalArgumentException.class,
                () -> NumaNodes.bind(slab.memory().asSlice(64), node)).getMessage();
        assertTrue(message.contains("errno=22") && message.contains("begin on a page"), message);
        assertThrows(IllegalArgumentException.class, () -> NumaNodes.bind(MemorySegment.ofArray(new int[8]), node));
        source.release(slab);
    }

    /** A node that memory can be bound to here. */
    private static int boundNode() {
        assumeTrue(!NumaNodes.all().isEmpty(), "needs a kernel with NUMA");
        int node = NumaNodes.all().getLast();
        OffHeapSlabSource source = new OffHeapSlabSource();
        Slab slab = source.acquire(1);
        int errno = SystemMemory.bind(slab.memory(), node);
        source.release(slab);
        assumeFalse(errno == SystemMemory.EPERM, "this container forbids mbind");
        return node;
    }
}
