package dev.verbena.benchmarks.transfer;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.management.OperatingSystemMXBean;

import dev.verbena.benchmarks.report.Spread;

/**
 * benchmarks/run transfer: one tensor from a process to another by each way, in turn, and its result back; then, on one host, raw puts. Its options:
 * {@link TransferOrder}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> its main thread; processes of their own send and receive.
 */
final class TransferBenchmark implements AutoCloseable {
    static final List<Long> BYTE_SIZES = List.of(64L, 4L << 10, 64L << 10, 1L << 20, 16L << 20, 128L << 20, 1L << 30);

    private static final Pattern BYTE_SIZE = Pattern.compile("([1-9][0-9]{0,9})([KMG]?)");
    private static final double TURN_US = 3e5;
    private static final double WARM_UP_TURN_US = 1e5;
    private static final int TENSORS_MIN = 3;
    private static final int TENSORS_MAX = 200_000;
    private static final int QUICK_TENSORS = 2;
    private static final int BURSTS_MAX = 15;
    private static final int BURST_TENSORS_MIN = 10;
    /** What all ways together have of one size, and what one has. */
    private static final int TENSORS_OF_ALL = 40;
    private static final int TENSORS_OF_ONE = 8;

    private final Map<Way, EndPair> pairs = new EnumMap<>(Way.class);
    private final TransferFigures figures;
    private final TransferOrder order;
    private final Consumer<String> progress;

    TransferBenchmark(TransferOrder order, Consumer<String> progress) throws IOException {
        this(List.of(Way.values()), order, progress);
    }

    TransferBenchmark(List<Way> ways, TransferOrder order, Consumer<String> progress) throws IOException {
        this.order = order;
        this.progress = progress;
        figures = new TransferFigures(order.route());
        try {
            for (Way way : ways) {
                String obstacle = way.obstacle(order.route());
                if (obstacle != null) {
                    progress.accept(figures.leaveOut(way, obstacle));
                } else {
                    attempt(way, () -> pairs.put(way, new EndPair(way, order.route())));
                }
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private interface Step {
        void take() throws IOException;
    }

    /** Goes on without a way of others that does not work here; of ours, that is a defect. */
    private void attempt(Way way, Step step) throws IOException {
        try {
            step.take();
        } catch (IOException | RuntimeException e) {
            if (way.isVerbena()) {
                throw e;
            }
            EndPair pair = pairs.remove(way);
            if (pair != null) {
                pair.close();
            }
            progress.accept(figures.leaveOut(way, e.getMessage()));
        }
    }

    /** Those that this machine has memory for. */
    static List<Long> byteSizes() {
        return BYTE_SIZES.stream().filter(byteSize -> byteSize * TENSORS_OF_ONE <= memoryByteSize()).toList();
    }

    private static long memoryByteSize() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    TransferFigures run(List<Long> byteSizes, int rounds) throws IOException {
        for (long byteSize : byteSizes) {
            closeThoseThatEndBelow(byteSize);
            boolean areAllOpen = byteSize * TENSORS_OF_ALL <= memoryByteSize();
            Map<Way, Map<Work, Integer>> tensors = new EnumMap<>(Way.class);
            for (Way way : List.copyOf(pairs.keySet())) {
                progress.accept(TransferFigures.name(byteSize) + ": warming up " + way.label);
                attempt(way, () -> {
                    pairs.get(way).open(byteSize);
                    tensors.put(way, warmUp(pairs.get(way)));
                    giveBack(way, areAllOpen);
                });
            }
            List<Way> ways = new ArrayList<>(tensors.keySet());
            for (int round = 0; round < rounds; round++) {
                progress.accept(TransferFigures.name(byteSize) + ": round " + (round + 1) + " of " + rounds);
                figures.addCopy(byteSize, copyUs(byteSize));
                for (int i = 0; i < ways.size(); i++) {
                    Way way = ways.get((round + i) % ways.size());
                    if (pairs.containsKey(way)) {
                        attempt(way, () -> {
                            takeAgain(way, byteSize, areAllOpen);
                            measure(way, byteSize, tensors.get(way));
                            giveBack(way, areAllOpen);
                        });
                    }
                }
            }
        }
        close(); // Nobody is in the way of what is measured next.
        return figures;
    }

    /** Sizes rise: what they hold is for the others. */
    private void closeThoseThatEndBelow(long byteSize) {
        List<Way> ended = pairs.keySet().stream().filter(way -> way.byteSizeMax < byteSize).toList();
        ended.forEach(way -> pairs.remove(way).close());
    }

    /** Where not all have room at the same time, each has it in its turn. */
    private void giveBack(Way way, boolean areAllOpen) throws IOException {
        if (!areAllOpen) {
            pairs.get(way).open(BYTE_SIZES.getFirst());
        }
    }

    private void takeAgain(Way way, long byteSize, boolean areAllOpen) throws IOException {
        if (!areAllOpen) {
            pairs.get(way).open(byteSize);
            for (Work work : Work.values()) {
                pairs.get(way).run(TENSORS_MIN, work);
            }
        }
    }

    private void measure(Way way, long byteSize, Map<Work, Integer> tensors) throws IOException {
        for (Work work : Work.values()) {
            figures.add(way, work, byteSize, turnUs(pairs.get(way), tensors.get(work), work));
        }
    }

    /** In bursts, of which the middle one counts: what else the machine does now and then is no way's own. */
    private static double turnUs(EndPair pair, int tensors, Work work) throws IOException {
        int bursts = Math.clamp(tensors / BURST_TENSORS_MIN, 1, BURSTS_MAX);
        List<Double> us = new ArrayList<>();
        for (int i = 0; i < bursts; i++) {
            us.add(pair.run(tensors / bursts, work));
        }
        return Spread.median(us);
    }

    /** @return how many tensors fill a turn: a tensor that nobody moves may take a thousandth of what reading it takes */
    private Map<Work, Integer> warmUp(EndPair pair) throws IOException {
        Map<Work, Integer> tensors = new EnumMap<>(Work.class);
        for (Work work : Work.values()) {
            tensors.put(work, order.isQuick() ? QUICK_TENSORS : warmUp(pair, work));
        }
        return tensors;
    }

    /** Ever more tensors, as they take less, so that what a compiler makes of them is in use when it counts. */
    private int warmUp(EndPair pair, Work work) throws IOException {
        long beginNs = System.nanoTime();
        double us = pair.run(TENSORS_MIN, work);
        do {
            us = pair.run(tensorsOf(WARM_UP_TURN_US, us), work);
        } while (System.nanoTime() - beginNs < TimeUnit.SECONDS.toNanos(order.warmUpSeconds()));
        return tensorsOf(TURN_US, us);
    }

    private static int tensorsOf(double us, double usOfOne) {
        return (int) Math.clamp(us / usOfOne, TENSORS_MIN, TENSORS_MAX);
    }

    /** What a copy takes within this process: the least that a tensor takes which is moved. */
    private double copyUs(long byteSize) {
        int count = order.isQuick() ? 1 : Math.clamp((1L << 30) / byteSize, TENSORS_MIN, TENSORS_MAX);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(byteSize);
            MemorySegment to = arena.allocate(byteSize);
            to.copyFrom(from);
            long beginNs = System.nanoTime();
            for (int i = 0; i < count; i++) {
                to.copyFrom(from);
            }
            return (System.nanoTime() - beginNs) / 1e3 / count;
        }
    }

    @Override
    public void close() {
        pairs.values().forEach(EndPair::close);
        pairs.clear();
    }

    /** Of "64,4K,1M"; in the order of their sizes, as often as they are named once. */
    static List<Long> parsedByteSizes(String text) {
        List<Long> byteSizes = new ArrayList<>();
        for (String word : text.split(",", -1)) {
            Matcher matcher = BYTE_SIZE.matcher(word);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("--sizes=" + text + ": '" + word
                        + "' must be a number of bytes, with K, M or G behind it or nothing, as in 64,4K,1M");
            }
            int shift = 10 * " KMG".indexOf((matcher.group(2) + " ").charAt(0));
            long number = Long.parseLong(matcher.group(1));
            if (number > BYTE_SIZES.getLast() >> shift || (number << shift) % Float.BYTES != 0) {
                throw new IllegalArgumentException("--sizes=" + text + ": '" + word + "' must be a multiple of "
                        + Float.BYTES + " bytes, and 1G at most");
            }
            byteSizes.add(number << shift);
        }
        return byteSizes.stream().sorted().distinct().toList();
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            TransferOrder order;
            try {
                order = new TransferOrder(arguments);
            } catch (IllegalArgumentException e) {
                output.println("benchmarks: " + e.getMessage());
                System.exit(2);
                return;
            }
            try (TransferBenchmark benchmark = new TransferBenchmark(order, output::println)) {
                TransferFigures figures = benchmark.run(order.byteSizes(), order.rounds());
                if (!order.route().isBetweenHosts()) {
                    figures.add(new RawPuts(order.isQuick(), output::println).run(order.rounds()));
                }
                figures.table().forEach(output::println);
                figures.targets().forEach(output::println);
                if (order.isQuick()) {
                    output.println(
                            "A quick run shows that everything runs, not how fast it is: its times mean nothing.");
                }
                write(figures, order);
            }
        }
    }

    private static void write(TransferFigures figures, TransferOrder order) throws IOException {
        if (order.json() != null) {
            order.json().write(figures.json());
        }
        if (order.report() != null) {
            order.report().write(TransferPage.of(figures, order.isQuick()));
        }
    }
}
