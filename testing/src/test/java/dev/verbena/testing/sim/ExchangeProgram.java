package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.ExchangeContent;
import dev.verbena.transfer.ExchangeException;
import dev.verbena.transfer.ExchangeOptions;
import dev.verbena.transfer.ExchangeReceiver;
import dev.verbena.transfer.ExchangeRequest;
import dev.verbena.transfer.ExchangeSender;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;

/**
 * One device sends another what it asks for, in an order of its own, of any shape, dead ones and failures among them, and some that are
 * written to while they are sent; some questions are cancelled and asked again, some sends withdrawn and sent again; in some programs the
 * receiver has memory for two tensors at a time. A step says what it is, so whoever gets it knows whether it is right. Two steps in ten are
 * sent under one name and step. Now and then what is sent is held for a while.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class ExchangeProgram {
    /** What must have happened in enough programs. */
    static final List<String> DONE = List.of("tensors", "chunks", "withdrawn", "dead", "failed", "damaged", "cancelled",
            "cancelled for want of memory", "held", "errors", "losses");
    private static final Pattern DAMAGED = Pattern
            .compile(".* 'name (\\d)' step=(\\d+) is damaged: checksum=0x(\\w+) but the sender's is 0x(\\w+)");
    private static final int STEPS = 40;
    private static final int NAMES = 3;
    private static final int AT_A_TIME = 12;
    private static final long ARENA_BYTE_SIZE = 1 << 20;
    /** Of the receiver's arena, where memory is scarce; the largest tensor has less. */
    private static final int ROOM_BYTE_SIZE = 8 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final long TURN_NS = 3_000;
    private static final long SETTLED_NS = 60_000_000_000L;

    private final Simulation simulation;
    private final boolean isHarmless;
    private final boolean isScarce;
    private final Random random;
    private final Tally tally;
    private final List<Integer> toAsk = new ArrayList<>();
    private final ExchangeRequest[] asked = new ExchangeRequest[STEPS];
    private final boolean[] hasCome = new boolean[STEPS];
    private final int[] told = new int[STEPS];
    /** Sent, withdrawn, and to be sent again. */
    private final List<Integer> toResend = new ArrayList<>();
    private final long[] landed = new long[STEPS];
    private String violation;
    /** When something was sent or has come. */
    private long changedNs;
    private RdmaDevice to;
    private ExchangeReceiver receiver;
    private ExchangeSender sender;
    private int sent;
    private String failure;
    private String senderFailure;
    /** Of the sender. */
    private boolean isLost;
    private boolean isOver;

    private ExchangeProgram(long seed, FaultPlan plan, Tally tally) {
        this.tally = tally;
        random = Chance.random(seed * 41);
        simulation = new Simulation(seed, plan);
        isHarmless = plan.incidents().isEmpty();
        isScarce = seed % 7 == 6;
        for (int i = 0; i < STEPS; i++) {
            toAsk.add(i);
        }
        Collections.shuffle(toAsk, random);
    }

    /** Memory and completions suffice: that others are wanting is for {@link DeviceProgram}. */
    static FaultPlan plan(long seed) {
        FaultPlan plan = seed % 2 == 0 ? FaultPlan.harmless(seed)
                : FaultPlan.random(seed).with(Fault.COMPLETION_COUNT_MAX, Fault.COMPLETION_COUNT_MAX.initial())
                        .with(Fault.FAILED_REGISTRATION_ONE_IN, Fault.FAILED_REGISTRATION_ONE_IN.initial());
        return seed % 3 == 0 ? plan.with(Fault.MESSAGE_BYTE_SIZE_MAX, 512) : plan;
    }

    /** @return what the run is known by */
    public static long run(long seed) {
        return run(seed, plan(seed), new Tally());
    }

    static long run(long seed, FaultPlan plan, Tally tally) {
        ExchangeProgram program = new ExchangeProgram(seed, plan, tally);
        try (program.simulation) {
            program.go(seed);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(e.getMessage() + "\n" + e + "\n" + program.simulation + "\n"
                    + String.join("\n", program.simulation.history()), e);
        }
        program.check(program.simulation.holdings().isEmpty(), "holds " + program.simulation.holdings());
        return program.simulation.fingerprint();
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    private RdmaDevice device(SimFabric fabric, String name, boolean isImmediate) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name)
                .withProgress(Progress.callers().withSpins(4)).withQueueDepth(4)
                .withQueuePairsPerPeer(1 + random.nextInt(3)).withStriping(SimDevice.striping(random))
                .withArrivalMode(isImmediate ? ArrivalMode.IMMEDIATE : ArrivalMode.AUTO), fabric);
    }

    private void go(long seed) {
        SimFabric toFabric = simulation.openFabric();
        SimFabric fromFabric = simulation.openFabric();
        to = device(toFabric, "receiver", seed % 5 == 0);
        RdmaDevice from = device(fromFabric, "sender", false);
        to.onPeerLost(cause -> tally.add("losses"));
        from.onPeerLost(cause -> isLost = true);
        TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, ARENA_BYTE_SIZE);
        TensorArena source = TensorArena.create(from.readableSlabSource(), 1 << 16, ARENA_BYTE_SIZE);
        receiver = to.exchangeReceiver("x", target, 1 + random.nextInt(4));
        List<Tensor> occupied = isScarce ? occupy(target) : List.of();
        takeTurns(toFabric);
        try {
            sender = from.channel(to.endpoint(), 0).exchangeSender("x", ExchangeOptions.defaults()
                    .withEagerByteSizeMax(eagerByteSizeMax(seed))
                    .withChecksums(), TIMEOUT);
        } catch (TransferException e) {
            fail("connecting", e);
        } catch (IllegalStateException e) {
            check(!fromFabric.isAlive(), "connecting: " + e);
        }
        if (sender != null) {
            simulation.runUntil(() -> {
                if (fromFabric.isAlive() && senderFailure == null) {
                    from.progress();
                    send(source);
                }
                return hasSettled(fromFabric, toFabric);
            }, SETTLED_NS);
            check(hasSettled(fromFabric, toFabric), "is not settled: sent=" + sent + " missing=" + missing() + " told="
                    + Arrays.toString(told) + " " + failure + " " + senderFailure);
        }
        occupied.forEach(Tensor::close);
        end(fromFabric, from, source, toFabric, target);
    }

    /** Where memory is scarce nothing may lie there that nobody has asked for: what is asked for would wait for it. */
    private int eagerByteSizeMax(long seed) {
        return isScarce ? 0 : seed % 4 == 0 ? ExchangeOptions.MEASURED : random.nextInt(2_000);
    }

    /** All but what two of the larger tensors take. */
    private static List<Tensor> occupy(TensorArena arena) {
        List<Tensor> occupied = new ArrayList<>();
        for (Tensor each = room(arena); each != null; each = room(arena)) {
            occupied.add(each);
        }
        occupied.removeLast().close();
        return occupied;
    }

    private static Tensor room(TensorArena arena) {
        return arena.tryAllocate(ElementType.UINT8, Shape.of(ROOM_BYTE_SIZE));
    }

    private void end(SimFabric fromFabric, RdmaDevice from, TensorArena source, SimFabric toFabric,
            TensorArena target) {
        if (sender != null && fromFabric.isAlive()) {
            sender.close();
        }
        isOver = true;
        if (toFabric.isAlive()) {
            receiver.close();
            for (ExchangeRequest each : asked) {
                check(each == null || each.isDone(), "is asked for for ever: " + each);
                if (each != null) {
                    each.close();
                }
            }
        }
        for (int i = 0; i < sent && fromFabric.isAlive(); i++) {
            check(told[i] == 1 || toResend.contains(i), "heard of step " + i + " times=" + told[i]);
        }
        closeArena(fromFabric, from, source);
        closeArena(toFabric, to, target);
        from.close();
        to.close();
    }

    private void closeArena(SimFabric fabric, RdmaDevice device, TensorArena arena) {
        for (int i = 0; i < 100_000 && fabric.isAlive() && arena.statistics().liveCount() > 0; i++) {
            device.awaitActivity(device.activity(), 1_000_000);
        }
        if (fabric.isAlive()) {
            check(arena.statistics().liveCount() == 0, device.name() + " still has " + arena.liveReport());
            arena.close();
        }
    }

    private boolean hasSettled(SimFabric fromFabric, SimFabric toFabric) {
        check(violation == null, violation);
        boolean isFailed = failure != null || senderFailure != null || !fromFabric.isAlive() || !toFabric.isAlive();
        boolean isReceiverDone = !toFabric.isAlive() || failure != null || missing() == 0;
        boolean isSenderDone = !fromFabric.isAlive() || senderFailure != null
                || sent == STEPS && Arrays.stream(told).allMatch(times -> times > 0);
        return isFailed ? (failure != null || !toFabric.isAlive()) && (senderFailure != null || !fromFabric.isAlive())
                || isReceiverDone && isSenderDone : isReceiverDone && isSenderDone;
    }

    private long missing() {
        int missing = 0;
        for (boolean each : hasCome) {
            missing += each ? 0 : 1;
        }
        return missing;
    }

    private void fail(String what, TransferException e) {
        tally.add("errors");
        check(!isHarmless, what + " failed though nothing has: " + e.getMessage());
    }

    // ---- what each step is ----

    private static String name(int step) {
        return "name " + step % NAMES;
    }

    /** Whether another one is sent under the same name and step: this one first, or second. */
    private static boolean isOneOfTwo(int step) {
        return step % 10 >= 8;
    }

    /** Under which it is sent. */
    private static int key(int step) {
        return step % 10 == 9 ? step - 1 : step;
    }

    private static boolean isDead(int step) {
        return step % 7 == 3;
    }

    private static boolean isFailed(int step) {
        return step % 7 == 5;
    }

    /** Whether its sender writes to it while it is sent. */
    private static boolean isWrittenTo(int step) {
        return step % 12 == 4;
    }

    /** The same for a while, then another one; up to 5 KiB. */
    private static Shape shape(int step) {
        Random random = Chance.random(step / 6 * NAMES + step % NAMES);
        return Shape.of(random.nextInt(9), random.nextInt(80));
    }

    private static long content(int step, long index) {
        return (step + 1L) << 32 | index;
    }

    // ---- sending ----

    private void send(TensorArena source) {
        try {
            // Once the peer is lost nothing else happens that would give this side another turn.
            if (sent < STEPS && (random.nextInt(3) == 0 || isLost) && offer(source, sent) == SendResult.SENT) {
                sent++;
                changedNs = simulation.deviceNs();
            }
            if (!toResend.isEmpty() && offer(source, toResend.getFirst()) == SendResult.SENT) {
                toResend.removeFirst();
            }
            if (random.nextInt(16) == 0 && sent < STEPS) {
                sender.hold();
                tally.add("held");
            } else if (random.nextInt(8) == 0) {
                sender.flush();
            }
            int any = random.nextInt(10 * STEPS);
            if (any < sent && told[any] == 0 && !isOneOfTwo(any)) {
                sender.withdraw(name(any), any);
            }
        } catch (TransferException e) {
            senderFailure = e.getMessage();
            fail("sending", e);
        }
    }

    private SendResult offer(TensorArena source, int step) {
        if (isDead(step)) {
            return sender.offerDead(name(key(step)), key(step), failed -> onEnd(step, failed));
        } else if (isFailed(step)) {
            return sender.fail(name(key(step)), key(step), new ArithmeticException("step " + step),
                    failed -> onEnd(step, failed));
        }
        Tensor tensor = source.tryAllocate(ElementType.INT64, shape(step));
        if (tensor == null) {
            return SendResult.BACK_PRESSURED;
        }
        try (tensor) {
            for (long i = 0; i < tensor.shape().elementCount(); i++) {
                tensor.memory().setAtIndex(JAVA_LONG, i, content(step, i));
            }
            SendResult result = sender.offer(name(key(step)), key(step), tensor, failed -> onEnd(step, failed));
            if (isWrittenTo(step) && tensor.byteSize() > 0) {
                tensor.memory().setAtIndex(JAVA_LONG, 0, ~content(step, 0));
            }
            return result;
        }
    }

    private void onEnd(int step, TransferException failed) {
        if (failed != null && failed.getMessage().contains("was withdrawn")) {
            toResend.add(step);
            tally.add("withdrawn");
            return;
        }
        told[step]++;
        if (failed != null && senderFailure == null) {
            senderFailure = failed.getMessage();
        }
    }

    // ---- receiving ----

    private void takeTurns(SimFabric fabric) {
        if (isOver || !fabric.isAlive()) {
            return;
        }
        if (!simulation.isPolling() && !fabric.process().isStill()) {
            to.progress();
            ask();
        }
        // The longer nothing comes, the less often; else long waits would take long.
        simulation.schedule(TURN_NS + (simulation.deviceNs() - changedNs) / 20, "the receiver's turn",
                () -> takeTurns(fabric));
    }

    private void ask() {
        int open = 0;
        for (int step = 0; step < STEPS; step++) {
            if (asked[step] != null && asked[step].isDone()) {
                take(step);
            } else if (isScarce && asked[step] != null && !isOneOfTwo(step) && random.nextInt(20) == 0
                    && awaitsMemory(asked[step])) {
                asked[step].cancel();
                asked[step] = null;
                toAsk.addFirst(step);
                tally.add("cancelled for want of memory");
            } else if (asked[step] != null && sent <= step && !isOneOfTwo(step) && random.nextInt(50) == 0) {
                asked[step].cancel();
                asked[step] = null;
                toAsk.addFirst(step);
                tally.add("cancelled");
            }
            open += asked[step] != null ? 1 : 0;
        }
        while (open < AT_A_TIME && !toAsk.isEmpty() && failure == null) {
            int step = nextToAsk();
            try {
                asked[step] = step % 2 == 0 ? receiver.receive(name(key(step)), key(step))
                        : receiver.receive(name(key(step)), key(step), (type, shape, byteOffset, chunk) -> onChunk(step,
                                shape, byteOffset, chunk));
                open++;
            } catch (TransferException e) {
                failure = e.getMessage();
                fail("asking", e);
            }
        }
    }

    /** What is known of it stays with who asks next. */
    private static boolean awaitsMemory(ExchangeRequest request) {
        try {
            request.await(Duration.ZERO);
            return false;
        } catch (OutOfArenaMemoryException e) {
            return true;
        }
    }

    /** Of two with one name and step the first is asked for first. */
    private int nextToAsk() {
        int step = toAsk.removeFirst();
        if (key(step) != step && toAsk.remove((Integer) key(step))) {
            toAsk.addFirst(step);
            return key(step);
        }
        return step;
    }

    private void onChunk(int step, Shape shape, long byteOffset, MemorySegment chunk) {
        if (isDead(step) || isFailed(step) || !shape.equals(shape(step)) || byteOffset != landed[step]) {
            violation = "step " + step + " has a chunk of " + shape + " at " + byteOffset + " not " + landed[step];
        }
        for (long i = 0; i < chunk.byteSize() / Long.BYTES; i++) {
            if (chunk.getAtIndex(JAVA_LONG, i) != content(step, byteOffset / Long.BYTES + i)) {
                violation = "step " + step + " has a chunk at " + byteOffset + " that has not landed";
            }
        }
        landed[step] += chunk.byteSize();
        tally.add("chunks");
    }

    private void take(int step) {
        ExchangeRequest request = asked[step];
        asked[step] = null;
        changedNs = simulation.deviceNs();
        try (Tensor tensor = request.take()) {
            check(isDead(step) == (request.content() == ExchangeContent.DEAD) && !isFailed(step),
                    "step " + step + " is " + request.content());
            if (tensor != null) {
                check(step % 2 == 0 || landed[step] == tensor.byteSize(),
                        "step " + step + " has landed=" + landed[step]);
                check(tensor.shape().equals(shape(step)), "step " + step + " has shape " + tensor.shape());
                for (long i = 0; i < tensor.shape().elementCount(); i++) {
                    check(tensor.memory().getAtIndex(JAVA_LONG, i) == content(step, i), "step " + step + " element " + i
                            + " is " + Long.toHexString(tensor.memory().getAtIndex(JAVA_LONG, i)));
                }
            }
            check(!hasCome[step], "step " + step + " has come twice");
            hasCome[step] = true;
            tally.add(tensor == null ? "dead" : "tensors");
        } catch (ExchangeException e) {
            check(isFailed(step) && e.step() == key(step) && e.tensorName().equals(name(key(step)))
                    && e.peerName().equals("sender")
                    && e.peerMessage().equals("java.lang.ArithmeticException: step " + step), e.getMessage());
            hasCome[step] = true;
            tally.add("failed");
        } catch (TransferException e) {
            if (isDamaged(step, e.getMessage())) {
                hasCome[step] = true;
                tally.add("damaged");
                return;
            }
            failure = e.getMessage();
            fail("receiving", e);
        }
    }

    /** It says of which it speaks, and two sums. */
    private boolean isDamaged(int step, String message) {
        Matcher matcher = DAMAGED.matcher(message);
        boolean isDamaged = matcher.matches();
        check(!isDamaged || isWrittenTo(step) && Integer.parseInt(matcher.group(1)) == key(step) % NAMES
                && Integer.parseInt(matcher.group(2)) == key(step) && !matcher.group(3).equals(matcher.group(4)),
                "step " + step + " is said to be damaged: " + message);
        return isDamaged;
    }
}
