package dev.verbena.benchmarks.transfer;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.time.Duration;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.ExchangeOptions;
import dev.verbena.transfer.ExchangeReceiver;
import dev.verbena.transfer.ExchangeSender;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * Tensors by each protocol; results are tensors of one element, statically placed.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
final class VerbenaEnd implements TensorEnd {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String RESULT = "result";
    private static final Shape ONE = Shape.of(1);
    /** Slots, as programs have that are not held up: some of what is small, and of what is large one that is used and one that comes. */
    private static final int DEPTH = 4;
    private static final int DEPTH_OF_LARGE = 2;
    private static final long LARGE_BYTE_SIZE = 1 << 20;

    private final Way way;
    private final boolean isSender;
    private final RdmaDevice device;
    private final TensorArena small;
    private final Tensor result;
    private Endpoint peer;
    private Work work = Work.LAST;
    private RdmaChannel channel;
    private TensorReceiver results;
    private TensorSender answers;
    private Shape shape;
    /** Of one size; null before the first. */
    private Traffic traffic;
    private int sizes;

    VerbenaEnd(Way way, boolean isSender, String host, String fabric) {
        this.way = way;
        this.isSender = isSender;
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric(fabric)
                .withLocalEndpoint(new Endpoint(host, 0)).withProgress(Progress.callers())
                .withName(isSender ? "sender" : "receiver"));
        small = TensorArena.create(device.slabSource(), 1 << 20, 1 << 20);
        result = small.allocate(ElementType.FLOAT32, ONE);
    }

    @Override
    public String address() {
        return device.endpoint().toString();
    }

    @Override
    public void meet(String peer) {
        this.peer = Endpoint.parse(peer);
    }

    @Override
    public void prepare(long count) {
        shape = Shape.of(count);
    }

    /** All that needs the other end's help: only who waits answers it, since callers drive. */
    @Override
    public void open() {
        if (traffic == null) {
            connect();
        } else {
            traffic.close();
        }
        String name = "tensors " + sizes++;
        traffic = isSender ? new Sending(name, shape) : new Receiving(name, shape);
        traffic.run(1);
    }

    private void connect() {
        if (isSender) {
            results = device.receiver(RESULT, small, ElementType.FLOAT32, ONE, DEPTH);
            channel = device.channel(peer, 0);
        } else {
            channel = device.channel(peer, 0);
            answers = channel.sender(RESULT, ElementType.FLOAT32, ONE, PATIENCE);
        }
    }

    @Override
    public void begin(Work work) {
        this.work = work;
    }

    @Override
    public void run(int tensors) {
        traffic.run(tensors);
    }

    @Override
    public void close() {
        device.close();
    }

    /** What one end has for tensors of one size. */
    private interface Traffic {
        void run(int tensors);

        void close();
    }

    /** Such as a call that was not taken, and is made again. */
    @FunctionalInterface
    private interface Attempt {
        boolean isTaken();
    }

    private void until(Attempt attempt) {
        long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
        while (!attempt.isTaken()) {
            if (System.nanoTime() > deadlineNs) {
                throw new IllegalStateException("the other end takes nothing for " + PATIENCE);
            }
        }
    }

    private final class Sending implements Traffic {
        private final TensorArena arena;
        /** Null where it is made in the receiver's slots. */
        private final Tensor tensor;
        private final TensorArena staging;
        private final TensorLease place = new TensorLease();
        private final TensorLease answer = new TensorLease();
        private TensorSender fixed;
        private DynamicTensorSender dynamic;
        private ExchangeSender exchange;
        private int number;

        Sending(String name, Shape shape) {
            long byteSize = TensorArena.plannedByteSize(1, ElementType.FLOAT32.byteSize(shape.elementCount()));
            arena = TensorArena.create(
                    way == Way.COPY ? new OffHeapSlabSource() : device.readableSlabSource(), byteSize, byteSize);
            staging = way == Way.COPY ? TensorArena.create(device.slabSource(), byteSize, byteSize) : null;
            tensor = way == Way.PLACED ? null : arena.allocate(ElementType.FLOAT32, shape);
            if (tensor != null) {
                tensor.memory().fill((byte) 0);
            }
            switch (way) {
                case DYNAMIC -> dynamic = channel.dynamicSender(name, PATIENCE);
                case EXCHANGE -> exchange = channel.exchangeSender(name, ExchangeOptions.defaults(), PATIENCE);
                default -> fixed = channel.sender(name, ElementType.FLOAT32, shape, PATIENCE);
            }
        }

        @Override
        public void run(int tensors) {
            for (int i = 0; i < tensors; i++) {
                send(++number);
                if (!results.poll(answer, PATIENCE)) {
                    throw new IllegalStateException("no result after " + PATIENCE);
                }
                Work.check(answer.memory().get(JAVA_FLOAT, 0), number);
                answer.close();
            }
        }

        private void send(int number) {
            if (way == Way.PLACED) {
                until(() -> fixed.place(place));
                Work.make(place.memory(), number);
                until(() -> fixed.offer(place, null) == SendResult.SENT);
                place.close();
                return;
            }
            Work.make(tensor.memory(), number);
            switch (way) {
                case DYNAMIC -> until(() -> dynamic.offer(tensor, null) == SendResult.SENT);
                case EXCHANGE -> until(() -> exchange.offer("t", number, tensor, null) == SendResult.SENT);
                case COPY -> until(() -> fixed.offerCopy(tensor, staging, null) == SendResult.SENT);
                default -> until(() -> fixed.offer(tensor, null) == SendResult.SENT);
            }
        }

        @Override
        public void close() {
            if (fixed != null) {
                fixed.close();
            }
            if (dynamic != null) {
                dynamic.close();
            }
            if (exchange != null) {
                exchange.close();
            }
            if (tensor != null) {
                tensor.close();
            }
            arena.close();
            if (staging != null) {
                staging.close();
            }
        }
    }

    private final class Receiving implements Traffic {
        private final TensorArena arena;
        private final TensorLease arrived = new TensorLease();
        private TensorReceiver fixed;
        private DynamicTensorReceiver dynamic;
        private ExchangeReceiver exchange;
        private int number;

        Receiving(String name, Shape shape) {
            long tensorByteSize = ElementType.FLOAT32.byteSize(shape.elementCount());
            int depth = tensorByteSize < LARGE_BYTE_SIZE ? DEPTH : DEPTH_OF_LARGE;
            long byteSize = depth * TensorArena.plannedByteSize(1, tensorByteSize) + (1 << 20);
            arena = TensorArena.create(device.slabSource(), byteSize, byteSize);
            switch (way) {
                case DYNAMIC -> dynamic = device.dynamicReceiver(name, arena, depth);
                case EXCHANGE -> exchange = device.exchangeReceiver(name, arena, ExchangeOptions.defaults().depth());
                default -> fixed = device.receiver(name, arena, ElementType.FLOAT32, shape, depth);
            }
        }

        @Override
        public void run(int tensors) {
            for (int i = 0; i < tensors; i++) {
                number++;
                if (exchange != null) {
                    try (Tensor tensor = exchange.receive("t", number, PATIENCE)) {
                        result.memory().set(JAVA_FLOAT, 0, work.of(tensor.memory()));
                    }
                } else {
                    take();
                    result.memory().set(JAVA_FLOAT, 0, work.of(arrived.memory()));
                    arrived.close();
                }
                until(() -> answers.offer(result, null) == SendResult.SENT);
            }
        }

        private void take() {
            if (!(dynamic != null ? dynamic.poll(arrived, PATIENCE) : fixed.poll(arrived, PATIENCE))) {
                throw new IllegalStateException("no tensor after " + PATIENCE);
            }
        }

        @Override
        public void close() {
            if (fixed != null) {
                fixed.close();
            }
            if (dynamic != null) {
                dynamic.close();
            }
            if (exchange != null) {
                exchange.close();
            }
            arena.close();
        }
    }
}
