package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DeviceStatistics;

/**
 * The client of tensors: measures one size after the other, the server in step.
 *
 * <p>Threading: confined to the command's thread.
 */
final class TensorClient {
    private static final long REHEARSAL_NS_MAX = TimeUnit.SECONDS.toNanos(2);
    private static final long FIRST_REHEARSAL_NS_MAX = TimeUnit.SECONDS.toNanos(10);
    /** Of a size that was measured before: what is still compiled shows in the figures. */
    private static final long LATER_REHEARSAL_NS_MAX = TimeUnit.MILLISECONDS.toNanos(300);

    private final TensorLink link;
    private final TensorOptions options;
    private final JitActivity jit = new JitActivity();
    /** What is under way, in words; read by who tells the user. */
    private volatile String doing = "connecting devices";
    private long rehearsalNsMax = FIRST_REHEARSAL_NS_MAX;
    /** Of the latest round. */
    private long jitMs;

    TensorClient(TensorLink link, TensorOptions options) {
        this.link = link;
        this.options = options;
    }

    String doing() {
        return doing;
    }

    /** @param raw of each size */
    List<TensorFigures> run(List<TensorRaw> raw) {
        List<TensorFigures> figures = new ArrayList<>();
        for (int i = 0; i < raw.size(); i++) {
            figures.addAll(measureInTurn(options.sizes().get(i), raw.get(i)));
        }
        link.tellLast(new TensorRound(TensorRound.Kind.END, options.protocols().getFirst(), 0, 0).toWords());
        return figures;
    }

    /** By each protocol. */
    private List<TensorFigures> measureInTurn(long byteSize, TensorRaw raw) {
        List<List<TensorFigures>> rounds = new ArrayList<>();
        TensorFigures first = null;
        for (int i = 0; i < options.rounds(); i++) {
            List<TensorFigures> round = new ArrayList<>();
            for (TensorProtocol protocol : options.protocols()) {
                round.add(measure(protocol, byteSize, raw, first));
                first = first == null ? round.getFirst() : first;
            }
            rounds.add(round);
            rehearsalNsMax = LATER_REHEARSAL_NS_MAX;
        }
        rehearsalNsMax = REHEARSAL_NS_MAX;
        List<TensorFigures> medians = new ArrayList<>();
        for (int i = 0; i < options.protocols().size(); i++) {
            int protocol = i;
            medians.add(TensorFigures.median(rounds.stream().map(round -> round.get(protocol)).toList(),
                    i == 0 ? null : medians.getFirst()));
        }
        return medians;
    }

    private TensorFigures measure(TensorProtocol protocol, long byteSize, TensorRaw raw, TensorFigures first) {
        doing = "measuring tensors of " + byteSize + " bytes, " + protocol;
        RoundTrips[] roundTrips = new RoundTrips[1];
        long[] jitOfOneWayMs = new long[1];
        // Not a window that leaves the cache: the raw write has one buffer each way.
        with(TensorRound.Kind.OPEN_EVEN, protocol, byteSize, options.depth(byteSize), ends -> {
            check(ends, 1);
            roundTrips[0] = roundTrips(ends);
            jitOfOneWayMs[0] = jitMs;
        });
        TensorFigures[] figures = new TensorFigures[1];
        with(TensorRound.Kind.OPEN, protocol, byteSize, options.window(byteSize), ends -> {
            long count = options.streamed(byteSize);
            double copied = first == null ? copied(ends, count) : first.copyBytesPerSecond();
            double handedOver = first == null ? handedOver(ends, byteSize) : first.handOverBytesPerSecond();
            rehearse(() -> stream(ends, count), count);
            DeviceStatistics before = link.device().statistics();
            long[] jitOfStreamMs = new long[1];
            double bytesPerSecond = median(() -> {
                double each = stream(ends, count);
                jitOfStreamMs[0] += jitMs;
                return each;
            });
            double staged = stagedPerTensor(before, link.device().statistics());
            check(ends, 2);
            figures[0] = new TensorFigures(protocol, first, byteSize, roundTrips[0], raw.oneWay(), count,
                    bytesPerSecond,
                    raw.bytesPerSecond(), copied, handedOver, staged, ends.fabricByteSize(),
                    raw.jitMs() + jitOfOneWayMs[0] + jitOfStreamMs[0]);
        });
        return figures[0];
    }

    /** Both sides' ends, with so many slots, for as long as the part takes. */
    private void with(TensorRound.Kind open, TensorProtocol protocol, long byteSize, int slots,
            Consumer<TensorEnds> part) {
        try (TensorEnds ends = new TensorEnds(link, protocol, byteSize,
                open == TensorRound.Kind.OPEN_EVEN ? slots : 1, slots, options.touches())) {
            tell(open, protocol, byteSize, slots);
            ends.connect();
            link.await();
            part.accept(ends);
            tell(TensorRound.Kind.CLOSE, protocol, byteSize, 0);
            link.await();
        }
    }

    private double copied(TensorEnds ends, long count) {
        SegmentCopies copies = new SegmentCopies(ends.memories());
        return rehearsedMedian(() -> copies.run(count), count);
    }

    /** Into as many segments as the server has slots, or one where that is too much memory. */
    private double handedOver(TensorEnds ends, long byteSize) {
        long count = options.streamed(byteSize);
        long[] planned = new long[options.targets(byteSize)];
        Arrays.fill(planned, byteSize);
        long arenaByteSize = TensorArena.plannedByteSize(1, planned);
        try (TensorArena arena = TensorArena.create(link.device().slabSource(), arenaByteSize, arenaByteSize)) {
            List<Tensor> targets = LongStream.of(planned)
                    .mapToObj(size -> arena.allocate(ElementType.UINT8, Shape.of(size))).toList();
            SegmentHandOver handOver = new SegmentHandOver(ends.memories(),
                    targets.stream().map(Tensor::memory).toList());
            double bytesPerSecond = rehearsedMedian(() -> handOver.run(count), count);
            targets.forEach(Tensor::close);
            return bytesPerSecond;
        }
    }

    private double rehearsedMedian(DoubleSupplier bandwidth, long count) {
        rehearse(() -> {
            jit.takeMs();
            bandwidth.getAsDouble();
            jitMs = jit.takeMs();
        }, count);
        return median(bandwidth);
    }

    private static double median(DoubleSupplier bandwidth) {
        return TensorRaw.median(DoubleStream.generate(bandwidth).limit(TensorOptions.BANDWIDTHS));
    }

    private static double stagedPerTensor(DeviceStatistics before, DeviceStatistics after) {
        return (double) (after.copiedByteSize() - before.copiedByteSize()) / (after.transfers() - before.transfers());
    }

    private void check(TensorEnds ends, long seed) {
        play(TensorRound.Kind.CHECK, ends, seed, () -> {
            ends.sendPattern(seed);
            ends.receivePattern(-seed);
        });
    }

    private RoundTrips roundTrips(TensorEnds ends) {
        int count = options.roundTrips(ends.byteSize());
        long[] instantsNs = new long[count + 1];
        rehearse(() -> ping(ends, instantsNs), count);
        ping(ends, instantsNs);
        double usable = ends.firstNs() == 0 ? 1 : usable(ends, count);
        return new RoundTrips(LatencyFigures.of(ends.byteSize(), instantsNs, 2), usable);
    }

    private void ping(TensorEnds ends, long[] instantsNs) {
        int count = instantsNs.length - 1;
        play(TensorRound.Kind.PING, ends, count, () -> {
            for (int i = 0; i < count; i++) {
                instantsNs[i] = System.nanoTime();
                ends.send(i);
                ends.receive(i);
            }
            instantsNs[count] = System.nanoTime();
        });
    }

    /** Timed from when the server is known to have been told to send, and to be awake: its own clock may be another host's. */
    private double usable(TensorEnds ends, int count) {
        double[] parts = new double[count];
        play(TensorRound.Kind.ASK, ends, count, () -> {
            for (int i = 0; i < count; i++) {
                link.tell(i);
                long heardNs = System.nanoTime();
                ends.receive(i);
                parts[i] = (double) (ends.firstNs() - heardNs) / (System.nanoTime() - heardNs);
            }
        });
        return TensorRaw.median(DoubleStream.of(parts));
    }

    /** @return bytes per second, until the server has told, by a tensor, that it has had all; that tensor counts too, being as large as the others */
    private double stream(TensorEnds ends, long count) {
        long[] elapsedNs = new long[1];
        play(TensorRound.Kind.STREAM, ends, count, () -> {
            long beginNs = System.nanoTime();
            ends.hold();
            for (long i = 0; i < count; i++) {
                ends.send(i);
            }
            ends.flush();
            ends.receive(count);
            elapsedNs[0] = System.nanoTime() - beginNs;
        });
        return 1e9 * ends.byteSize() * (count + 1) / elapsedNs[0];
    }

    /** Until so many tensors in a row have passed in which no JIT was at work. */
    private void rehearse(Runnable round, long count) {
        long beginNs = System.nanoTime();
        long quiet = 0;
        do {
            round.run();
            quiet = jitMs > 0 ? 0 : quiet + count;
        } while (quiet < options.warmUp() && System.nanoTime() - beginNs < rehearsalNsMax);
    }

    /** A round, when the server is ready for it; and what the JITs took of it. */
    private void play(TensorRound.Kind kind, TensorEnds ends, long count, Runnable part) {
        tell(kind, ends.protocol(), ends.byteSize(), count);
        link.await();
        jit.takeMs();
        part.run();
        long ownMs = jit.takeMs();
        jitMs = ownMs + link.await()[0];
    }

    private void tell(TensorRound.Kind kind, TensorProtocol protocol, long byteSize, long count) {
        link.tell(new TensorRound(kind, protocol, byteSize, count).toWords());
    }
}
