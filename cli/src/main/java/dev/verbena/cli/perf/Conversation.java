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
    /** Longer messages share most of their path with these, which cost little; for the rest each size is rehearsed. */
    private static final long WARM_UP_BYTE_SIZE_MAX = 4096;
    /** Messages of one short run of the warm-up. */
    private static final int SHORT_ITERATIONS = 32;
    /** Of a long one, so many times the depth. */
    private static final int LONG_DEPTHS = 4;
    /** So many rounds make the posts that must pass without compiling. */
    private static final int WARM_UP_ROUNDS = 8;
    /** So many times as many posts end it in any case. */
    private static final int WARM_UP_LIMIT = 20;
    /** A rehearsal has as many messages as the measurement, so that it fills the same queues, but no more than these, or so many bytes. */
    private static final long REHEARSED_BYTE_SIZE_MAX = 256 << 20;
    private static final int REHEARSED_ITERATIONS_MIN = 4;
    private static final int REHEARSED_ITERATIONS_MAX = 5000;
    /** Of a size whose messages take so long that the JIT, should it still come, takes little of their time. */
    private static final long REHEARSAL_NS_MAX = TimeUnit.SECONDS.toNanos(2);
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

    List<Measurement> run() {
        return options.isServer() ? follow() : lead();
    }

    private List<Measurement> lead() {
        List<Measurement> measurements = new ArrayList<>();
        warmUp();
        for (long byteSize : options.byteSizes()) {
            long iterations = options.iterations() == 0 ? Long.MAX_VALUE : options.iterations();
            rehearse(options.test(), byteSize, iterations);
            measurements.add(measure(options.test(), byteSize, iterations(byteSize)));
        }
        end();
        return measurements;
    }

    /** Called by the client. */
    void end() {
        control.send(Round.END.toWords());
        control.receive();
    }

    /** Each side tells the other something, after the end. @return what the other says */
    long[] exchange(long... words) {
        if (options.isServer()) {
            long[] peer = control.receive();
            control.send(words);
            return peer;
        }
        control.send(words);
        return control.receive();
    }

    /** Called by the client. */
    Measurement measure(PerfTest test, long byteSize, long iterations) {
        doing = "measuring messages of " + byteSize + " bytes";
        Round round = new Round(test, byteSize, 1, iterations, true);
        Part part = announce(round);
        jit.takeMs();
        repeat(part, round);
        long ownMs = jit.takeMs();
        control.send(Round.WHAT_THE_JIT_TOOK.toWords());
        return new Measurement(part.figures(), ownMs + control.receive()[0]);
    }

    /**
     * Until so many posts in a row have passed in which neither side's JIT was busy. In turn in short runs, since the JIT compiles
     * what is called often, and in long ones, which fill the queues: code that was compiled before it saw a full queue would be
     * thrown away at the first, in the measurement.
     */
    void warmUp() {
        doing = "warming up: small messages until " + options.warmUp() + " posts passed without the JIT compiling";
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

    /**
     * As the measurement will be, of messages of its size: code that was compiled for small ones is thrown away at the first that
     * takes another branch, such as the fence behind a large copy. In rounds, until as many posts as in the warm-up have passed in
     * which neither side's JIT was busy. Called by the client.
     */
    void rehearse(PerfTest test, long byteSize, long measured) {
        doing = "rehearsing messages of " + byteSize + " bytes until the JIT is quiet";
        long iterations = multiple(Math.min(measured,
                Math.clamp(REHEARSED_BYTE_SIZE_MAX / byteSize, REHEARSED_ITERATIONS_MIN, REHEARSED_ITERATIONS_MAX)));
        long posts = iterations / options.listSize();
        long beginNs = System.nanoTime();
        long quiet = 0;
        do {
            lead(new Round(test, byteSize, 1, iterations, false));
            quiet = jit.isBusy() | isPeerBusy ? 0 : quiet + posts;
        } while (quiet < options.warmUp() && System.nanoTime() - beginNs < REHEARSAL_NS_MAX);
    }

    /** @return posts of each queue pair */
    private long warmUp(long iterations) {
        PerfTest test = options.test();
        long byteSize = Math.min(WARM_UP_BYTE_SIZE_MAX, options.byteSizes().getFirst());
        long posts = iterations / options.listSize();
        int repetitions = (int) Math.max(1, options.warmUp() / WARM_UP_ROUNDS / posts);
        lead(new Round(test, byteSize, repetitions, iterations, false));
        return repetitions * posts;
    }

    private long iterations(long byteSize) {
        if (options.durationSeconds() == 0) {
            return options.iterations();
        }
        long durationNs = TimeUnit.SECONDS.toNanos(options.durationSeconds());
        long iterations = multiple(SHORT_ITERATIONS);
        while (true) {
            long startNs = System.nanoTime();
            lead(new Round(options.test(), byteSize, 1, iterations, false));
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
        Part part = Part.of(side, round);
        control.send(round.toWords());
        isPeerBusy = control.receive()[0] != 0;
        return part;
    }

    private List<Measurement> follow() {
        List<Measurement> measurements = new ArrayList<>();
        doing = "serving the client, which warms up";
        for (Round round = next(); !round.equals(Round.END); round = next()) {
            if (round.isMeasured()) {
                doing = "serving the client, which measures messages of " + round.byteSize() + " bytes";
            }
            Part part = join(round);
            jit.takeMs();
            repeat(part, round);
            if (round.isMeasured()) {
                long tookMs = jit.takeMs();
                next(); // WHAT_THE_JIT_TOOK
                control.send(tookMs);
                if (part.figures() != null) {
                    measurements.add(new Measurement(part.figures(), tookMs));
                }
            }
        }
        control.send();
        return measurements;
    }

    /** Called by the server. */
    Round next() {
        return Round.of(control.receive());
    }

    /** Called by the server. @return its part, which the client has been told of */
    Part join(Round round) {
        Part part = Part.of(side, round);
        control.send(jit.isBusy() ? 1 : 0);
        return part;
    }

    static void repeat(Part part, Round round) {
        for (int i = 0; i < round.repetitions(); i++) {
            part.run(round.iterations());
        }
    }
}
