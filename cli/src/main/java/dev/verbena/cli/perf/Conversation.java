package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The two sides in step: the client says which round comes next, the server says that it is ready, both do their part.
 *
 * <p>Threading: confined to the command's thread.
 */
final class Conversation {
    /** Longer messages take the same path through the code as these: not into their requests, and always from the same place. */
    private static final long WARM_UP_BYTE_SIZE_MAX = 4096;
    /** Messages of one short run of the warm-up. */
    private static final int SHORT_ITERATIONS = 32;
    /** Of a long one, so many times the depth. */
    private static final int LONG_DEPTHS = 4;
    /** So many rounds make the posts that must pass without compiling. */
    private static final int WARM_UP_ROUNDS = 8;
    /** So many times as many posts end it in any case. */
    private static final int WARM_UP_LIMIT = 20;
    /** Before each measurement, for what is slow only at first: so many bytes, in so many messages of full size. */
    private static final long FIRST_BYTE_SIZE = 16 << 20;
    private static final int FIRST_ITERATIONS_MIN = 4;
    private static final int FIRST_ITERATIONS_MAX = 512;
    /** Of the duration asked for, so much at least is spent on finding out how many messages that is. */
    private static final double CALIBRATION = 0.1;

    private final ControlPair control;
    private final Side side;
    private final PerfOptions options;
    private final JitActivity jit = new JitActivity();
    /** What is under way, in words; read by who tells the user. */
    private volatile String doing = "at the beginning";
    /** Its JIT, since the round before. */
    private boolean isPeerBusy;

    Conversation(ControlPair control, Side side) {
        this.control = control;
        this.side = side;
        this.options = side.options();
    }

    Side side() {
        return side;
    }

    /** Such as "warming up". Thread-safe. */
    String doing() {
        return doing;
    }

    List<Figures> run() {
        return options.isServer() ? follow() : lead();
    }

    private List<Figures> lead() {
        List<Figures> figures = new ArrayList<>();
        doing = "warming up: small messages until " + options.warmUp() + " posts passed without the JIT compiling";
        warmUp();
        for (long byteSize : options.byteSizes()) {
            doing = "measuring messages of " + byteSize + " bytes";
            lead(new Round(byteSize, 1, first(byteSize), false));
            figures.add(lead(new Round(byteSize, 1, iterations(byteSize), true)).figures());
        }
        control.send(Round.END.toWords());
        control.receive();
        return figures;
    }

    /**
     * Until so many posts in a row have passed in which neither side's JIT was busy. In turn in short runs, since the JIT compiles
     * what is called often, and in long ones, which fill the queues: code that was compiled before it saw a full queue would be
     * thrown away at the first, in the measurement.
     */
    private void warmUp() {
        long quiet = 0;
        long limit = (long) WARM_UP_LIMIT * options.warmUp();
        boolean isLong = false;
        for (long all = 0; quiet < options.warmUp() && all < limit; isLong = !isLong) {
            long posts = warmUp(multiple(isLong ? Math.max(SHORT_ITERATIONS, LONG_DEPTHS * options.sendDepth())
                    : SHORT_ITERATIONS));
            all += posts;
            boolean isBusy = jit.isBusy() | isPeerBusy;
            quiet = isBusy ? 0 : quiet + posts;
        }
    }

    /** @return posts of each queue pair */
    private long warmUp(long iterations) {
        long byteSize = Math.min(WARM_UP_BYTE_SIZE_MAX, options.byteSizes().getFirst());
        long posts = iterations / options.listSize();
        int repetitions = (int) Math.max(1, options.warmUp() / WARM_UP_ROUNDS / posts);
        lead(new Round(byteSize, repetitions, iterations, false));
        return repetitions * posts;
    }

    private long first(long byteSize) {
        return multiple(Math.clamp(FIRST_BYTE_SIZE / byteSize, FIRST_ITERATIONS_MIN, FIRST_ITERATIONS_MAX));
    }

    private long iterations(long byteSize) {
        if (options.durationSeconds() == 0) {
            return options.iterations();
        }
        long durationNs = TimeUnit.SECONDS.toNanos(options.durationSeconds());
        long iterations = multiple(SHORT_ITERATIONS);
        while (true) {
            long startNs = System.nanoTime();
            lead(new Round(byteSize, 1, iterations, false));
            double share = (double) (System.nanoTime() - startNs) / durationNs;
            if (share >= CALIBRATION) {
                long fitting = Math.clamp((long) (iterations / share), PerfArguments.ITERATIONS_MIN,
                        options.test().isBandwidth ? PerfArguments.ITERATIONS_MAX : PerfArguments.LATENCIES_MAX);
                return multiple(fitting);
            }
            iterations *= 2;
        }
    }

    private long multiple(long iterations) {
        return (iterations + options.listSize() - 1) / options.listSize() * options.listSize();
    }

    private Part lead(Round round) {
        Part part = announce(round);
        repeat(part, round);
        return part;
    }

    /** Called by the client. @return its part, when the server is ready too */
    Part announce(Round round) {
        Part part = Part.of(side, round.byteSize(), round.iterations());
        control.send(round.toWords());
        isPeerBusy = control.receive()[0] != 0;
        return part;
    }

    private List<Figures> follow() {
        List<Figures> figures = new ArrayList<>();
        doing = "serving the client, which warms up";
        for (Round round = next(); !round.equals(Round.END); round = next()) {
            if (round.isMeasured()) {
                doing = "serving the client, which measures messages of " + round.byteSize() + " bytes";
            }
            Part part = join(round);
            repeat(part, round);
            if (round.isMeasured() && part.figures() != null) {
                figures.add(part.figures());
            }
        }
        control.send();
        return figures;
    }

    /** Called by the server. */
    Round next() {
        return Round.of(control.receive());
    }

    /** Called by the server. @return its part, which the client has been told of */
    Part join(Round round) {
        Part part = Part.of(side, round.byteSize(), round.iterations());
        control.send(jit.isBusy() ? 1 : 0);
        return part;
    }

    static void repeat(Part part, Round round) {
        for (int i = 0; i < round.repetitions(); i++) {
            part.run(round.iterations());
        }
    }
}
