package dev.verbena.cli.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells whether this JVM is still compiling what the measurement runs. Now and then the JIT compiles something that has nothing to do
 * with it: what takes less than a hundredth of the time passes.
 *
 * <p>Threading: confined to the command's thread.
 */
final class JitActivity {
    private static final int SHARE = 100;

    /** Milliseconds for which this JVM has compiled so far. */
    private final LongSupplier compilation;
    private long seenMs;
    private long seenNs = System.nanoTime();
    private long takenMs;

    JitActivity() {
        this(ofThisJvm());
    }

    JitActivity(LongSupplier compilation) {
        this.compilation = compilation;
        seenMs = compilation.getAsLong();
        takenMs = seenMs;
    }

    private static LongSupplier ofThisJvm() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean(); // null where nothing is compiled
        return compiler != null && compiler.isCompilationTimeMonitoringSupported() ? compiler::getTotalCompilationTime
                : () -> 0;
    }

    /** Whether the JIT was busy since the last call. */
    boolean isBusy() {
        long nowMs = compilation.getAsLong();
        long nowNs = System.nanoTime();
        boolean isBusy = TimeUnit.MILLISECONDS.toNanos(nowMs - seenMs) * SHARE > nowNs - seenNs;
        seenMs = nowMs;
        seenNs = nowNs;
        return isBusy;
    }

    /** What the JIT has compiled for since the last call, on all its threads. */
    long takeMs() {
        long nowMs = compilation.getAsLong();
        long tookMs = nowMs - takenMs;
        takenMs = nowMs;
        return tookMs;
    }
}
