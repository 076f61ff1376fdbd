package dev.verbena.cli.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether this JVM is still compiling what the measurement runs. Now and then the JIT compiles something that has nothing to do
 * with it: what takes less than a hundredth of the time passes.
 *
 * <p>Threading: confined to the command's thread.
 */
final class JitActivity {
    private static final int SHARE = 100;

    /** Null where nothing is compiled. */
    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private long seenMs = compilationMs();
    private long seenNs = System.nanoTime();

    /** Whether the JIT was busy since the last call. */
    boolean isBusy() {
        long nowMs = compilationMs();
        long nowNs = System.nanoTime();
        boolean isBusy = TimeUnit.MILLISECONDS.toNanos(nowMs - seenMs) * SHARE > nowNs - seenNs;
        seenMs = nowMs;
        seenNs = nowNs;
        return isBusy;
    }

    private long compilationMs() {
        return compiler != null && compiler.isCompilationTimeMonitoringSupported() ? compiler.getTotalCompilationTime()
                : 0;
    }
}
