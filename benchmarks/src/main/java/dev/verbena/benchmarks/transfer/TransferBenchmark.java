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
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.sun.management.OperatingSystemMXBean;

/**
 * benchmarks/run transfer [--quick] [--rounds N] [--sizes LIST] [--json FILE] [--report FILE]: one tensor from a process to another by each
 * way, in turn, and its result back; then raw puts.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> its main thread; processes of their own send and receive.
 */
final class TransferBenchmark implements AutoCloseable {
    static final List<Long> BYTE_SIZES = List.of(64L, 4L << 10, 64L << 10, 1L << 20, 16L << 20, 128L << 20, 1L << 30);

    private static final Pattern BYTE_SIZE = Pattern.compile("([1-9][0-9]{0,9})([KMG]?)");
    private static final double WARM_UP_US = 1e6;
    private static final double TURN_US = 3e5;
    private static final int TENSORS_MIN = 3;
    private static final int TENSORS_MAX = 20_000;
    /** What all ways have of one size at the same time. */
    private static final int TENSORS_AT_A_TIME = 20;

    private final Map<Way, EndPair> pairs = new EnumMap<>(Way.class);
    private final TransferFigures figures = new TransferFigures();
    private final Consumer<String> progress;
    private final boolean isQuick;

    TransferBenchmark(boolean isQuick, Consumer<String> progress) throws IOException {
        this(List.of(Way.values()), isQuick, progress);
    }

    TransferBenchmark(List<Way> ways, boolean isQuick, Consumer<String> progress) throws IOException {
        this.isQuick = isQuick;
        this.progress = progress;
        try {
            for (Way way : ways) {
                attempt(way, () -> pairs.put(way, new EndPair(way)));
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
        long memory = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        return BYTE_SIZES.stream().filter(byteSize -> byteSize * TENSORS_AT_A_TIME <= memory).toList();
    }

    TransferFigures run(List<Long> byteSizes, int rounds) throws IOException {
        for (long byteSize : byteSizes) {
            Map<Way, Integer> tensors = new EnumMap<>(Way.class);
            for (Way way : List.copyOf(pairs.keySet())) {
                if (byteSize <= way.byteSizeMax) {
                    progress.accept(TransferFigures.name(byteSize) + ": warming up " + way.label);
                    attempt(way, () -> {
                        pairs.get(way).open(byteSize);
                        tensors.put(way, warmUp(pairs.get(way)));
                    });
                }
            }
            List<Way> ways = new ArrayList<>(tensors.keySet());
            for (int round = 0; round < rounds; round++) {
                progress.accept(TransferFigures.name(byteSize) + ": round " + (round + 1) + " of " + rounds);
                figures.addCopy(byteSize, copyUs(byteSize));
                for (int i = 0; i < ways.size(); i++) {
                    Way way = ways.get((round + i) % ways.size());
                    if (pairs.containsKey(way)) {
                        attempt(way, () -> measure(way, byteSize, tensors.get(way)));
                    }
                }
            }
        }
        close(); // Nobody is in the way of what is measured next.
        return figures;
    }

    private void measure(Way way, long byteSize, int tensors) throws IOException {
        for (Work work : Work.values()) {
            figures.add(way, work, byteSize, pairs.get(way).run(tensors, work));
        }
    }

    /** @return how many tensors fill a turn */
    private int warmUp(EndPair pair) throws IOException {
        if (isQuick) {
            return 2;
        }
        double us = pair.run(TENSORS_MIN, Work.MAX);
        us = pair.run(tensorsOf(WARM_UP_US, us), Work.LAST);
        pair.run(tensorsOf(TURN_US, us), Work.MAX);
        return tensorsOf(TURN_US, pair.run(tensorsOf(TURN_US, us), Work.LAST));
    }

    private static int tensorsOf(double us, double usOfOne) {
        return (int) Math.clamp(us / usOfOne, TENSORS_MIN, TENSORS_MAX);
    }

    /** What a copy takes within this process: the least that a tensor takes which is moved. */
    private double copyUs(long byteSize) {
        int count = isQuick ? 1 : Math.clamp((1L << 30) / byteSize, TENSORS_MIN, TENSORS_MAX);
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
            try (TransferBenchmark benchmark = new TransferBenchmark(order.isQuick(), output::println)) {
                TransferFigures figures = benchmark.run(order.byteSizes(), order.rounds());
                figures.add(new RawPuts(order.isQuick(), output::println).run(order.rounds()));
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
