package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.time.Duration;
import java.util.Random;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * One device places tensors at another one, which looks again and again, also in the midst of a write that lands in pieces: what it sees must
 * be whole. A third of all plans promise writes in order, a third do not, and a third do at every second queue pair.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class ArrivalProgram {
    private static final int TENSORS = 30;
    private static final int WIDTH_MAX = 300;
    private static final int PIECES = 8;
    private static final int LOOK_NS_MAX = 1_500;
    private static final long ARENA_BYTE_SIZE = 1 << 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Simulation simulation;
    private final Random random;
    private final Shape shape;
    private TensorReceiver receiver;
    private int received;
    private String violation;
    private boolean isOver;

    private ArrivalProgram(long seed) {
        simulation = new Simulation(seed, plan(seed));
        random = Chance.random(seed * 43);
        shape = Shape.of(1 + random.nextInt(WIDTH_MAX));
    }

    static FaultPlan plan(long seed) {
        return FaultPlan.harmless(seed).with(Fault.PIECE_COUNT_MAX, PIECES).with(Fault.RELAXED_ORDER, seed % 3)
                .with(Fault.REFUSED_AT_ONCE_ONE_IN, 1);
    }

    private static int queuePairIndex(long seed) {
        return (int) (seed / 3 % 2);
    }

    /** Whether the last word of a write lands last there; before the queue pairs of channels a connection has one for calls. */
    static boolean isInOrder(long seed) {
        return seed % 3 == 0 || seed % 3 == 2 && queuePairIndex(seed) == 1;
    }

    /** @return what the run is known by */
    public static long run(long seed) {
        return run(seed, new Tally());
    }

    /** Counts whether arrival was seen in the tail or as an immediate, and whether writes were in order. */
    static long run(long seed, Tally tally) {
        ArrivalProgram program = new ArrivalProgram(seed);
        try (program.simulation) {
            tally.add(program.run(queuePairIndex(seed)) + (isInOrder(seed) ? " in order" : " in any order"));
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + program.simulation + "\n"
                    + String.join("\n", program.simulation.history()), e);
        }
        tally.add(program.simulation);
        return program.simulation.fingerprint();
    }

    private RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name).withQueueDepth(4)
                .withProgress(Progress.callers().withSpins(4)), simulation.openFabric());
    }

    private String run(int queuePairIndex) {
        String mode;
        try (RdmaDevice to = device("receiver");
                RdmaDevice from = device("sender");
                TensorArena target = TensorArena.create(to.slabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
                TensorArena source = TensorArena.create(from.slabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE)) {
            receiver = to.receiver("edge", target, ElementType.INT64, shape, 1 + random.nextInt(3));
            look();
            try (TensorSender sender = from.channel(to.endpoint(), queuePairIndex).sender("edge", ElementType.INT64,
                    shape, TIMEOUT)) {
                mode = sender.arrivalMode().toString();
                for (int i = 0; i < TENSORS; i++) {
                    send(from, sender, source, i);
                }
                simulation.runUntil(() -> received == TENSORS || violation != null, TIMEOUT.toNanos());
                check();
                if (received != TENSORS) {
                    throw new AssertionError("received=" + received);
                }
            }
            isOver = true;
            receiver.close();
        }
        return mode;
    }

    private void send(RdmaDevice from, TensorSender sender, TensorArena source, int sequence) {
        try (Tensor tensor = source.allocate(ElementType.INT64, shape)) {
            for (long i = 0; i < shape.elementCount(); i++) {
                tensor.memory().setAtIndex(JAVA_LONG, i, content(sequence, i));
            }
            simulation.runUntil(() -> {
                from.progress();
                return violation != null || sender.offer(tensor, null) == SendResult.SENT;
            }, TIMEOUT.toNanos());
        }
        simulation.runUntil(() -> {
            from.progress();
            return source.statistics().liveCount() == 0;
        }, TIMEOUT.toNanos());
        check();
    }

    private void check() {
        if (violation != null) {
            throw new AssertionError(violation);
        }
    }

    private static long content(long sequence, long index) {
        return (sequence + 1) << 32 | index;
    }

    private void look() {
        if (isOver) {
            return;
        }
        if (!simulation.isPolling()) {
            try (Tensor tensor = receiver.poll()) {
                for (long i = 0; tensor != null && i < shape.elementCount(); i++) {
                    long value = tensor.memory().getAtIndex(JAVA_LONG, i);
                    if (value != content(received, i) && violation == null) {
                        violation = "tensor " + received + " as it is seen: element " + i + " is "
                                + Long.toHexString(value);
                    }
                }
                received += tensor == null ? 0 : 1;
            }
        }
        simulation.schedule(1 + random.nextInt(LOOK_NS_MAX), "the receiver looks", this::look);
    }
}
