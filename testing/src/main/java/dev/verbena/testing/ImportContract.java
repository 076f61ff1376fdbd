package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.Importable;
import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/** Memory that is not the fabric's: what it says that it can import it can, and what not it refuses. */
interface ImportContract extends FabricFixture {
    long BYTE_SIZE = 5_000;
    Set<AccessRight> ALL = EnumSet.allOf(AccessRight.class);
    /** Of no page's begin. */
    long FILE_OFFSET = 4_096 + 64;

    /** A dma-buf of so many bytes, there as long as the test; -1 if this machine has no such thing. */
    int deviceMemory(long byteSize);

    private static boolean can(Fabric fabric, Importable form) {
        return fabric.capabilities().imports().contains(form);
    }

    private static void fill(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, FabricSide.pattern(seed, i));
        }
    }

    @Test
    default void anyMemoryIsASource() {
        FabricPair pair = connect();
        Fabric fabric = pair.initiator.fabric;
        long before = fabric.registeredByteSize();
        try (Arena arena = Arena.ofShared()) {
            ForeignMemory memory = new ForeignMemory.Host(arena.allocate(BYTE_SIZE));
            if (!can(fabric, Importable.SOURCE)) {
                assertRefused(fabric, memory, Set.of());
                return;
            }
            MemoryRegion region = fabric.importMemory(memory, Set.of());
            assertEquals(before + BYTE_SIZE, fabric.registeredByteSize());
            fill(region.memory(), 3);
            pair.run(pair.initiator.request(1, Opcode.WRITE).element(region, 100, 4_000)
                    .remote(pair.target.region.address(), pair.target.region.rkey()), SUCCESS);
            for (long i = 0; i < 4_000; i++) {
                assertEquals(FabricSide.pattern(3, 100 + i), pair.target.region.memory().get(ValueLayout.JAVA_BYTE, i));
            }
            pair.target.postReceive(2, 8_192, 64);
            pair.run(pair.initiator.request(3, Opcode.SEND).element(region, 0, 64), SUCCESS);
            pair.next(pair.target, 2, SUCCESS);
            FabricPair.assertFilled(pair.target, 8_192, 64, 3);
            pair.run(pair.initiator.request(4, Opcode.READ).element(region, 0, 8).remote(pair.target.region.address(),
                    pair.target.region.rkey()), LOCAL_PROTECTION_ERROR);
            region.close();
            assertEquals(before, fabric.registeredByteSize());
            assertEquals(FabricSide.pattern(3, 0), region.memory().get(ValueLayout.JAVA_BYTE, 0));
        }
    }

    @Test
    default void nobodyReadsASource() {
        assertNobodyGetsAtASource(Opcode.READ);
    }

    @Test
    default void nobodyWritesASource() {
        assertNobodyGetsAtASource(Opcode.WRITE);
    }

    private void assertNobodyGetsAtASource(Opcode opcode) {
        FabricPair pair = connect();
        if (!can(pair.target.fabric, Importable.SOURCE)) {
            return;
        }
        try (Arena arena = Arena.ofShared()) {
            MemoryRegion region = pair.target.fabric
                    .importMemory(new ForeignMemory.Host(arena.allocate(BYTE_SIZE)), Set.of());
            pair.run(pair.initiator.request(1, opcode, 0, 8, pair.target, 0).remote(region.address(),
                    region.rkey()), REMOTE_ACCESS_ERROR);
            region.close();
        }
    }

    @Test
    default void memoryOfTheCallersHasAllRightsOrIsRefused() {
        FabricPair pair = connect();
        try (Arena arena = Arena.ofShared()) {
            ForeignMemory.Host memory = new ForeignMemory.Host(arena.allocate(BYTE_SIZE));
            if (can(pair.target.fabric, Importable.HOST_MEMORY)) {
                assertWorks(pair, memory.segment());
            } else {
                assertRefused(pair.target.fabric, memory, ALL);
                assertRefused(pair.target.fabric, memory, Set.of(AccessRight.LOCAL_WRITE));
            }
        }
    }

    /** Wherever it lies in the file, and whether the file still has a name, or is open. */
    @Test
    default void aMappedFileHasAllRightsOrIsRefused() throws IOException {
        FabricPair pair = connect();
        Path tmpfs = Path.of("/dev/shm");
        Path file = Files.isWritable(tmpfs) ? Files.createTempFile(tmpfs, "verbena", null)
                : Files.createTempFile("verbena", null);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mapped;
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                mapped = channel.map(MapMode.READ_WRITE, 0, FILE_OFFSET + BYTE_SIZE, arena);
                Files.delete(file);
                MemorySegment part = mapped.asSlice(FILE_OFFSET);
                if (!can(pair.target.fabric, Importable.MAPPED_FILE)) {
                    assertRefused(pair.target.fabric, new ForeignMemory.Host(part), ALL);
                    return;
                }
                assertWorks(pair, part);
            }
            assertEquals(0, mapped.get(ValueLayout.JAVA_BYTE, FILE_OFFSET - 1));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Written, read, received into and, where there are such, added to; then it is the caller's again. */
    private static void assertWorks(FabricPair pair, MemorySegment memory) {
        Fabric fabric = pair.target.fabric;
        long before = fabric.registeredByteSize();
        MemoryRegion region = fabric.importMemory(new ForeignMemory.Host(memory), ALL);
        assertSame(memory, region.memory());
        assertEquals(MemoryKind.HOST, region.kind());
        assertEquals(memory.byteSize(), region.byteSize());
        pair.initiator.fill(0, BYTE_SIZE, 5);
        pair.run(pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, BYTE_SIZE)
                .remote(region.address(), region.rkey()), SUCCESS);
        for (long i = 0; i < BYTE_SIZE; i++) {
            assertEquals(FabricSide.pattern(5, i), memory.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
        }
        fill(memory, 6);
        pair.run(pair.initiator.request(2, Opcode.READ).element(pair.initiator.region, 8_192, BYTE_SIZE)
                .remote(region.address(), region.rkey()), SUCCESS);
        FabricPair.assertFilled(pair.initiator, 8_192, BYTE_SIZE, 6);
        assertTrue(pair.target.queuePair().postReceive(3, region, 1_000, 64));
        pair.run(pair.initiator.send(4, 0, 64), SUCCESS);
        pair.next(pair.target, 3, SUCCESS);
        assertEquals(FabricSide.pattern(5, 63), memory.get(ValueLayout.JAVA_BYTE, 1_063));
        region.close();
        assertEquals(before, fabric.registeredByteSize());
        assertEquals(FabricSide.pattern(6, 0), memory.get(ValueLayout.JAVA_BYTE, 0));
        pair.run(pair.initiator.request(5, Opcode.WRITE).element(pair.initiator.region, 0, 8).remote(region.address(),
                region.rkey()), REMOTE_ACCESS_ERROR);
    }

    @Test
    default void memoryOfADeviceHasAllRightsOrIsRefused() {
        FabricPair pair = connect();
        if (!can(pair.target.fabric, Importable.DMA_BUF)) {
            assertRefused(pair.target.fabric, new ForeignMemory.DmaBuf(0, 0, BYTE_SIZE), ALL);
            return;
        }
        int descriptor = deviceMemory(FILE_OFFSET + BYTE_SIZE);
        if (descriptor < 0) {
            return;
        }
        MemoryRegion region = pair.target.fabric
                .importMemory(new ForeignMemory.DmaBuf(descriptor, FILE_OFFSET, BYTE_SIZE), ALL);
        assertEquals(MemoryKind.DEVICE, region.kind());
        assertEquals(BYTE_SIZE, region.byteSize());
        assertThrows(UnsupportedOperationException.class, region::memory);
        pair.initiator.fill(0, BYTE_SIZE, 5);
        pair.run(pair.initiator.request(1, Opcode.WRITE).element(pair.initiator.region, 0, BYTE_SIZE)
                .remote(region.address(), region.rkey()), SUCCESS);
        pair.run(pair.initiator.request(2, Opcode.READ).element(pair.initiator.region, 8_192, BYTE_SIZE)
                .remote(region.address(), region.rkey()), SUCCESS);
        FabricPair.assertFilled(pair.initiator, 8_192, BYTE_SIZE, 5);
        // And from it, small enough for a request to carry what it can see.
        assertEquals(1, pair.target.queuePair()
                .post(pair.target.request(3, Opcode.WRITE).element(region, 64, 64)
                        .remote(pair.initiator.region.address() + 32_768, pair.initiator.region.rkey())));
        pair.next(pair.target, 3, SUCCESS);
        assertEquals(FabricSide.pattern(5, 64), pair.initiator.region.memory().get(ValueLayout.JAVA_BYTE, 32_768));
        region.close();
    }

    private static void assertRefused(Fabric fabric, ForeignMemory memory, Set<AccessRight> rights) {
        long before = fabric.registeredByteSize();
        String message = assertThrows(TransferException.class, () -> fabric.importMemory(memory, rights)).getMessage();
        assertTrue(message.contains(fabric.name()) || message.contains("device"), message);
        assertEquals(before, fabric.registeredByteSize());
    }

    @Test
    default void whatCannotBeMemoryIsRefused() {
        Fabric fabric = openFabric();
        try (Arena shared = Arena.ofShared(); Arena confined = Arena.ofConfined()) {
            for (MemorySegment wrong : new MemorySegment[]{MemorySegment.ofArray(new byte[8]), MemorySegment.NULL,
                    shared.allocate(8).asReadOnly(), confined.allocate(8)}) {
                assertThrows(IllegalArgumentException.class, () -> new ForeignMemory.Host(wrong), wrong::toString);
            }
            assertThrows(IllegalArgumentException.class, () -> new ForeignMemory.DmaBuf(-1, 0, 1));
            assertThrows(IllegalArgumentException.class, () -> new ForeignMemory.DmaBuf(0, 1, Long.MAX_VALUE));
            ForeignMemory memory = new ForeignMemory.Host(shared.allocate(8));
            assertThrows(IllegalArgumentException.class,
                    () -> fabric.importMemory(memory, Set.of(AccessRight.REMOTE_WRITE)));
            fabric.close();
            assertThrows(IllegalStateException.class, () -> fabric.importMemory(memory, Set.of()));
            assertFalse(can(fabric, Importable.HOST_MEMORY) && !can(fabric, Importable.SOURCE));
        }
    }
}
