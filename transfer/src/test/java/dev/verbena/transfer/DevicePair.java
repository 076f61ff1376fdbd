package dev.verbena.transfer;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** A sending and a receiving device in this process, each with an arena. */
final class DevicePair implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(20);

    final RdmaDevice sender;
    final RdmaDevice receiver;
    final TensorArena senderArena;
    final TensorArena receiverArena;

    DevicePair(RdmaDeviceOptions options) {
        this(RdmaDevice.create(options.withName("sender")), RdmaDevice.create(options.withName("receiver")));
    }

    DevicePair(RdmaDevice sender, RdmaDevice receiver) {
        this.sender = sender;
        this.receiver = receiver;
        senderArena = TensorArena.create(sender.readableSlabSource(), 1 << 20, 64 << 20);
        receiverArena = TensorArena.create(receiver.slabSource(), 1 << 20, 64 << 20);
    }

    static RdmaDeviceOptions options(ArrivalMode mode) {
        return RdmaDeviceOptions.defaults().withFabric("shm").withArrivalMode(mode).withQueueDepth(16);
    }

    RdmaChannel channel() {
        return sender.channel(receiver.endpoint(), 0);
    }

    Tensor floats(long count, float first) {
        Tensor tensor = senderArena.allocate(ElementType.FLOAT32, Shape.of(count));
        for (long i = 0; i < count; i++) {
            tensor.memory().setAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, i, first + i);
        }
        return tensor;
    }

    /** Waits for a value, as a user's loop would. */
    static <T> T await(RdmaDevice device, Supplier<T> poll) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            long seen = device.activity();
            T value = poll.get();
            if (value != null) {
                return value;
            }
            device.awaitActivity(seen, 1_000_000);
        }
        throw new AssertionError("nothing arrived in " + TIMEOUT);
    }

    /** Between two looks of a loop that allocates nothing; a test that hangs is interrupted when its deadline is over. */
    static void rest(RdmaDevice device, long seen) {
        device.awaitActivity(seen, 1_000_000);
        if (Thread.currentThread().isInterrupted()) {
            throw new AssertionError("interrupted while waiting for " + device.name());
        }
    }

    static void awaitTrue(RdmaDevice device, BooleanSupplier condition) {
        await(device, () -> condition.getAsBoolean() ? Boolean.TRUE : null);
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }

    void closeArenas() {
        senderArena.close();
        receiverArena.close();
    }
}
