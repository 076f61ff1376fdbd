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

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Sizes are longs: a tensor beyond 4 GiB arrives whole by each protocol, where the machine has the memory for two of it. */
class LargeTensorTest {
    private static final Shape SHAPE = Shape.of(5, 1 << 30);
    private static final ElementType TYPE = ElementType.UINT8;
    /** Each page of both tensors is touched for the first time. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final long NEED = 11L << 30;
    /** Each page has a number of its own, at another place than the page before. */
    private static final long STEP = 4096 + 8;

    @BeforeEach
    void needsMemory() throws IOException {
        String memory = Files.readString(Path.of("/proc/meminfo")).replaceAll("(?s).*MemAvailable: *([0-9]+) kB.*",
                "$1");
        assumeTrue(Long.parseLong(memory) * 1024 >= NEED, "needs 11 GiB of memory, has " + memory + " KiB");
    }

    @Test
    void byStaticPlacement() {
        try (DevicePair pair = pair();
                Arenas arenas = new Arenas(pair);
                TensorReceiver receiver = pair.receiver.receiver("large", arenas.receiver, TYPE, SHAPE, 1);
                TensorSender sender = pair.channel().sender("large", TYPE, SHAPE, DevicePair.TIMEOUT);
                Tensor tensor = numbered(arenas.sender)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            assertArrived(receiver.poll(PATIENCE));
        }
    }

    @Test
    void byDynamicAllocation() {
        try (DevicePair pair = pair();
                Arenas arenas = new Arenas(pair);
                DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver("large", arenas.receiver, 1);
                DynamicTensorSender sender = pair.channel().dynamicSender("large", DevicePair.TIMEOUT);
                Tensor tensor = numbered(arenas.sender)) {
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            assertArrived(receiver.poll(PATIENCE));
        }
    }

    @Test
    void byExchange() {
        try (DevicePair pair = pair();
                Arenas arenas = new Arenas(pair);
                ExchangeReceiver receiver = pair.receiver.exchangeReceiver("large", arenas.receiver, 1);
                ExchangeSender sender = pair.channel().exchangeSender("large", ExchangeOptions.defaults(),
                        DevicePair.TIMEOUT);
                Tensor tensor = numbered(arenas.sender)) {
            assertEquals(SendResult.SENT, sender.offer("weights", 1, tensor, null));
            assertArrived(receiver.receive("weights", 1, PATIENCE));
        }
    }

    private static DevicePair pair() {
        return new DevicePair(DevicePair.options(ArrivalMode.AUTO));
    }

    private static Tensor numbered(TensorArena arena) {
        Tensor tensor = arena.allocate(TYPE, SHAPE);
        MemorySegment memory = tensor.memory();
        for (long at = 0; at <= memory.byteSize() - Long.BYTES; at += STEP) {
            memory.set(JAVA_LONG_UNALIGNED, at, ~at);
        }
        memory.set(JAVA_LONG_UNALIGNED, memory.byteSize() - Long.BYTES, -2);
        return tensor;
    }

    private static void assertArrived(Tensor arrived) {
        try (arrived) {
            MemorySegment memory = arrived.memory();
            assertEquals(SHAPE, arrived.shape());
            assertTrue(memory.byteSize() > 4L << 30);
            long wrong = 0;
            for (long at = 0; at <= memory.byteSize() - 2 * Long.BYTES; at += STEP) {
                wrong += memory.get(JAVA_LONG_UNALIGNED, at) == ~at ? 0 : 1;
            }
            assertEquals(0, wrong, "numbers that did not arrive");
            assertEquals(-2, memory.get(JAVA_LONG_UNALIGNED, memory.byteSize() - Long.BYTES));
        }
    }

    /** With room for the tensor, and for its slot. */
    private record Arenas(TensorArena sender, TensorArena receiver) implements AutoCloseable {
        private static final long BYTE_SIZE = (5L << 30) + (64 << 20);

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
