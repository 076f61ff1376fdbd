package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.GivenSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;

/** Tensors in memory that the user brings along. */
class ImportedRegionTest {
    private static final long BYTE_SIZE = 1 << 20;
    private static final Shape SHAPE = Shape.of(1_000);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Test
    void aClosedRegionIsForgottenWithTheNextThatComes() {
        try (Arena memory = Arena.ofShared(); DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            MemoryRegion imported = pair.sender.importRegion(new ForeignMemory.Host(memory.allocate(4096, 4096)),
                    Set.of());
            MemoryRegion allocated = pair.sender.allocateRegion(4096);
            assertTrue(imported.isOpen() && pair.sender.isRegistered(imported));
            imported.close();
            allocated.close();
            assertFalse(imported.isOpen() || allocated.isOpen());
            pair.sender.allocateRegion(4096).close();
            assertFalse(pair.sender.isRegistered(imported) || pair.sender.isRegistered(allocated));
        }
    }

    @Test
    void ordinaryMemoryIsSentAndAFileIsReceivedIntoWithoutACopy() throws IOException {
        Path file = Files.createTempFile(Path.of("/dev/shm"), "verbena", null);
        try (Arena memory = Arena.ofShared();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                MemoryRegion from = pair.sender.importRegion(new ForeignMemory.Host(memory.allocate(BYTE_SIZE, 4096)),
                        Set.of());
                MemoryRegion to = pair.receiver.importRegion(
                        new ForeignMemory.Host(channel.map(MapMode.READ_WRITE, 0, BYTE_SIZE, memory)),
                        Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE))) {
            Files.delete(file);
            try (TensorArena source = TensorArena.create(new GivenSlabSource(from), BYTE_SIZE, BYTE_SIZE);
                    TensorArena target = TensorArena.create(new GivenSlabSource(to), BYTE_SIZE, BYTE_SIZE);
                    TensorReceiver receiver = pair.receiver.receiver("edge", target, ElementType.FLOAT32, SHAPE, 2);
                    TensorSender sender = pair.channel().sender("edge", ElementType.FLOAT32, SHAPE, TIMEOUT);
                    Tensor tensor = source.allocate(ElementType.FLOAT32, SHAPE)) {
                assertTrue(sender.isRegistered(tensor));
                for (int i = 0; i < 1_000; i++) {
                    tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
                }
                sender.send(tensor, TIMEOUT);
                try (Tensor arrived = receiver.poll(TIMEOUT)) {
                    assertEquals(999f, arrived.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 999));
                    long offset = arrived.memory().address() - to.memory().address();
                    assertTrue(offset >= 0 && offset < BYTE_SIZE, "it lies in the file");
                }
                assertEquals(0, pair.sender.statistics().copies());
            }
            pair.closeArenas();
        } finally {
            Files.deleteIfExists(file);
        }
    }

    @Test
    void whatPeersMayNotWriteIntoReceivesNothing() {
        try (Arena memory = Arena.ofShared(); DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO))) {
            MemorySegment segment = memory.allocate(BYTE_SIZE, 4096);
            try (MemoryRegion region = pair.receiver.importRegion(new ForeignMemory.Host(segment), Set.of());
                    TensorArena arena = TensorArena.create(new GivenSlabSource(region), BYTE_SIZE, BYTE_SIZE)) {
                String message = assertThrows(IllegalArgumentException.class,
                        () -> pair.receiver.receiver("edge", arena, ElementType.FLOAT32, SHAPE, 2)).getMessage();
                assertTrue(message.contains("REMOTE_WRITE"), message);
            }
            assertThrows(TransferException.class, () -> pair.receiver.importRegion(new ForeignMemory.Host(segment),
                    Set.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE)));
            assertFalse(pair.receiver.capabilities().imports().isEmpty());
            pair.closeArenas();
        }
    }
}
