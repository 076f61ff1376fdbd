package dev.verbena.memory.heap;

import java.lang.foreign.Arena;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import dev.verbena.memory.slab.Membarrier;

/**
 * A barrier that one thread makes all others pass: what a revoker of an {@link OwnerLock} pays, so that owners need not.
 *
 * <p>The first that is there, and holds in a short trial when it is first needed, is taken.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
enum Handshake implements Runnable {
    /** The kernel's, which promises just this. */
    MEMBARRIER {
        @Override
        boolean isThere() {
            return Membarrier.isThere();
        }

        @Override
        public void run() {
            Membarrier.passAllThreads();
        }
    },
    /** What HotSpot does when a shared arena is closed, so that no thread is within an access to it any more. */
    SHARED_ARENA {
        @Override
        boolean isThere() {
            return true;
        }

        @Override
        public void run() {
            Arena.ofShared().close();
        }
    };

    /** Sections of each side in a trial. */
    private static final int TRIAL_SECTIONS = 200;

    abstract boolean isThere();

    /** The trial is made when it is first needed: a program of one thread makes none. One that fails for want of memory is made again. */
    private static volatile Handshake chosen;

    /** @throws IllegalStateException if none holds */
    static Handshake chosen() {
        Handshake known = chosen;
        if (known == null) {
            known = Stream.of(values()).filter(Handshake::isThere).filter(one -> Trial.holds(one, TRIAL_SECTIONS))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no handshake of threads holds on this machine; give"
                            + " each thread an arena of its own"));
            chosen = known;
        }
        return known;
    }

    /** An owner and a revoker count two plain numbers up together, each in a section of its own. */
    static final class Trial {
        private final ReentrantLock revokers = new ReentrantLock();
        private final OwnerLock lock = new OwnerLock();
        private long first;
        private long second;
        private boolean isBroken;

        private Trial() {}

        /** Whether no section of one side fell into one of the other. */
        static boolean holds(Runnable handshake, int sections) {
            Trial trial = new Trial();
            Thread owner = Thread.ofPlatform().daemon().name("verbena-handshake-trial")
                    .start(() -> trial.own(sections));
            trial.revoke(handshake, sections);
            boolean isInterrupted = false;
            while (owner.isAlive()) {
                try {
                    owner.join();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
            return !trial.isBroken && trial.first == 2L * sections && trial.second == trial.first;
        }

        private void own(int sections) {
            for (int i = 0; i < sections; i++) {
                while (!lock.tryEnter()) {
                    revokers.lock();
                    lock.readmit();
                    revokers.unlock();
                }
                step();
                lock.leave();
            }
        }

        private void revoke(Runnable handshake, int sections) {
            for (int i = 0; i < sections; i++) {
                revokers.lock();
                try {
                    lock.revoke();
                    handshake.run();
                    lock.awaitIdle();
                    step();
                } finally {
                    revokers.unlock();
                }
            }
        }

        private void step() {
            isBroken |= first != second;
            first++;
            second++;
        }
    }
}
