package dev.verbena.stress.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import dev.verbena.memory.SlabSource;

/**
 * Threads that do everything to arenas that one can do, for as long as asked; now and then all of them pause and everything is counted.
 *
 * <p>At the end nothing is live, and the process has no more memory than behind the first quarter.
 */
final class Soak {
    /** Times that the threads pause, the last at the end. */
    private static final int PAUSES = 20;
    private static final int QUARTER = PAUSES / 4;
    private static final long END_TIMEOUT_S = 60;

    private final SoakOptions options;
    private final LongSupplier slabByteSize;
    private final Consumer<String> log;
    private final Surroundings surroundings;
    private final SplittableRandom random;
    private final List<Line> lines = new ArrayList<>();
    private final CountDownLatch end;
    private Footprint quarter;

    /** {@code slabByteSize} tells how much the source has handed out. */
    Soak(SoakOptions options, SlabSource source, LongSupplier slabByteSize, Consumer<String> log) {
        this.options = options;
        this.slabByteSize = slabByteSize;
        this.log = log;
        surroundings = new Surroundings(source, options.threads());
        random = new SplittableRandom(options.seed());
        end = new CountDownLatch(options.threads());
    }

    /** @throws SoakFailure if anything is wrong */
    void run() throws InterruptedException {
        for (int number = 1; number <= options.threads(); number++) {
            lines.add(new Line(surroundings, number, random.split(), end));
        }
        lines.forEach(Line::startNext);
        try {
            for (int pause = 1; pause <= PAUSES && !hasEnded(); pause++) {
                pause(pause);
            }
        } finally {
            surroundings.stop();
        }
        SoakFailure.unless(end.await(END_TIMEOUT_S, TimeUnit.SECONDS), () -> "a thread does not come to its end");
        if (surroundings.failure() != null) {
            throw surroundings.failure();
        }
        finish();
    }

    /** Awaits the next pause; whether all threads have ended before, because something is wrong. */
    private boolean hasEnded() throws InterruptedException {
        return end.await(options.durationNs() / PAUSES, TimeUnit.NANOSECONDS);
    }

    private void pause(int number) {
        surroundings.gate.writeLock().lock();
        try {
            if (surroundings.failure() == null) {
                surroundings.arenas().forEach(TestedArena::checkQuiet);
                if (number == QUARTER) {
                    quarter = Footprint.now(slabByteSize.getAsLong());
                }
                log.accept(figures());
            }
        } catch (RuntimeException e) {
            surroundings.fail(new SoakFailure("while all threads pause: " + e.getMessage(), e));
        } finally {
            surroundings.gate.writeLock().unlock();
        }
    }

    private void finish() {
        Footprint last = Footprint.now(slabByteSize.getAsLong());
        lines.forEach(Line::freeAll);
        surroundings.shelf.freeAll(random);
        surroundings.arenas().forEach(TestedArena::checkQuiet);
        for (TestedArena arena : surroundings.arenas()) {
            SoakFailure.unless(arena.heldCount() == 0 && arena.tryClose(), () -> arena + " has live blocks at the end");
        }
        for (TestedArena arena : surroundings.retired) {
            SoakFailure.unless(arena.heldCount() == 0 && arena.tryClose(), () -> arena + " has live blocks at the end");
        }
        SoakFailure.unless(slabByteSize.getAsLong() == 0, () -> "slabs that nobody gave back: byteSize="
                + slabByteSize.getAsLong());
        quarter.checkAgainst(last, surroundings.liveByteSizeMax());
        log.accept("behind the first quarter " + quarter + "; at the end " + last);
    }

    private String figures() {
        return "steps=" + surroundings.steps + " allocations=" + surroundings.allocations + " outOfMemory="
                + surroundings.refusals + " threads=" + surroundings.lives + " arenasClosed="
                + surroundings.closedArenas + " live="
                + (surroundings.tight.heldCount() + surroundings.roomy.heldCount())
                + " slabMiB=" + slabByteSize.getAsLong() / 1024 / 1024;
    }
}
