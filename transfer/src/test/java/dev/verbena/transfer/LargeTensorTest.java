package dev.verbena.transfer;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Sizes are longs: a tensor beyond 4 GiB arrives whole by each protocol, where the machine has the memory for two of it. */
@TestInstance(Lifecycle.PER_CLASS)
class LargeTensorTest {
    /** Little more than 4 GiB: each page costs a machine that has not touched it yet. */
    private static final Shape SHAPE = Shape.of(65, 1 << 26);
    private static final ElementType TYPE = ElementType.UINT8;
    /** Pages of both tensors are touched for the first time. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long NEED = 9L << 30;
    /** Each page has a number of its own, at another place than the page before. */
    private static final long STEP = 4096 + 8;

    private DevicePair pair;
    private Arenas arenas;

    /** Once for all tests. */
    @BeforeAll
    void takeMemory() throws IOException {
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) * 1024 >= NEED, "needs 9 GiB of memory, has " + memory + " KiB");
        pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
        arenas = new Arenas(pair);
    }

    @AfterAll
    void giveMemoryBack() {
        if (pair != null) {
            arenas.close();
            pair.close();
        }
    }

    @Test
    void byStaticPlacement() {
        try (TensorReceiver receiver = pair.receiver.receiver("large", arenas.receiver, TYPE, SHAPE, 1);
                TensorSender sender = pair.channel().sender("large", TYPE, SHAPE, DevicePair.TIMEOUT);
                Tensor tensor = numbered(1)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            assertArrived(receiver.poll(PATIENCE), 1);
        }
    }

    @Test
    void byDynamicAllocation() {
        try (DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver("any", arenas.receiver, 1);
                DynamicTensorSender sender = pair.channel().dynamicSender("any", DevicePair.TIMEOUT);
                Tensor tensor = numbered(2)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            assertArrived(receiver.poll(PATIENCE), 2);
        }
    }

    @Test
    void byExchange() {
        try (ExchangeReceiver receiver = pair.receiver.exchangeReceiver("edge", arenas.receiver, 1);
                ExchangeSender sender = pair.channel().exchangeSender("edge", ExchangeOptions.defaults(),
                        DevicePair.TIMEOUT);
                Tensor tensor = numbered(3)) {
            assertEquals(SendResult.SENT, sender.offer("weights", 1, tensor, null));
            assertArrived(receiver.receive("weights", 1, PATIENCE), 3);
        }
    }

    /** It is computed where it is received: there is one of it, and it does not move. */
    @Test
    void byPlacementAtItsDestination() {
        try (TensorReceiver receiver = pair.receiver.receiver("placed", arenas.receiver, TYPE, SHAPE, 1);
                TensorSender sender = pair.channel().sender("placed", TYPE, SHAPE, DevicePair.TIMEOUT)) {
            try (Tensor placed = sender.place(arenas.sender)) {
                number(placed, 4);
                assertEquals(SendResult.SENT, sender.offer(placed, null));
            }
            assertArrived(receiver.poll(PATIENCE), 4);
            assertEquals(0, arenas.sender.statistics().liveCount(), "it lay with the sender");
            assertEquals(0, pair.sender.transferStatistics().getFirst().fabricByteSize());
        }
    }

    private Tensor numbered(long test) {
        Tensor tensor = arenas.sender.allocate(TYPE, SHAPE);
        number(tensor, test);
        return tensor;
    }

    /** @param test differs from test to test: memory is used again */
    private static void number(Tensor tensor, long test) {
        MemorySegment memory = tensor.memory();
        for (long at = 0; at <= memory.byteSize() - Long.BYTES; at += STEP) {
            memory.set(JAVA_LONG_UNALIGNED, at, test - at);
        }
        memory.set(JAVA_LONG_UNALIGNED, memory.byteSize() - Long.BYTES, -test);
    }

    private static void assertArrived(Tensor arrived, long test) {
        try (arrived) {
            MemorySegment memory = arrived.memory();
            assertEquals(SHAPE, arrived.shape());
            assertTrue(memory.byteSize() > 4L << 30);
            long wrong = 0;
            for (long at = 0; at <= memory.byteSize() - 2 * Long.BYTES; at += STEP) {
                wrong += memory.get(JAVA_LONG_UNALIGNED, at) == test - at ? 0 : 1;
            }
            assertEquals(0, wrong, "numbers that did not arrive");
            assertEquals(-test, memory.get(JAVA_LONG_UNALIGNED, memory.byteSize() - Long.BYTES));
        }
    }

    /** With room for the tensor, and for its slot. */
    private record Arenas(TensorArena sender, TensorArena receiver) implements AutoCloseable {
        private static final long BYTE_SIZE = (65L << 26) + (64 << 20);

        Arenas(DevicePair pair) {
            this(TensorArena.create(pair.sender.readableSlabSource(), BYTE_SIZE, BYTE_SIZE),
                    TensorArena.create(pair.receiver.slabSource(), BYTE_SIZE, BYTE_SIZE));
        }

        @Override
        public void close() {
            sender.close();
            receiver.close();
        }
    }
}
