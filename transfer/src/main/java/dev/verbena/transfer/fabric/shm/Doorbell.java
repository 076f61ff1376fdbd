package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * One futex word in shared memory on which the owner of a completion queue sleeps and which peers ring, and beside it a bit for each of
 * its queue pairs, so that the owner looks at those that something has happened to, however many are connected.
 *
 * <pre>
 *   WORD     0  int
 *   EFFECTS  8  longs: bit {@code place % 64} of long {@code place / 64}; place 0 stands for all queue pairs
 *
 *            ring                 awaitRing
 *   QUIET ──────────► RUNG ◄─────────────┐ ring, and wake
 *     ▲ │               │ clear          │
 *     │ └── awaitRing ──┼──────────► ASLEEP
 *     └─────────────────┴── time is up ──┘
 * </pre>
 *
 * <p>Nothing is missed. Who rings makes its effect visible, sets the bit, then reads the word; the owner changes the word, then reads the
 * bits; all four volatile, so in one order that both agree on. One of the two sees the other (Dekker): either the owner finds the bit, or who
 * rings finds a word that is not {@code RUNG}, and rings. A bit is set and taken by one read-modify-write each, so who takes it sees the effect. Who dies between its
 * effect and the bit is found dead by its control socket, and its queue pairs are rung for by this side.
 *
 * <p>Who puts a word that only a sleeper must hear of counts it and reads the word, which so stays in its cache; the owner changes the word to
 * {@code ASLEEP}, then reads the counts. One of the two sees the other here too.
 *
 * <p>Threading: {@link #ring} and {@link #ringIfAsleep} from any thread of any process; the others by the owner only.
 */
final class Doorbell {
    /** Nothing happened since the owner last looked. */
    static final int QUIET = 0;
    /** Something happened; whoever comes later need not ring again. */
    static final int RUNG = 1;
    /** The owner sleeps in the kernel, or is about to. */
    static final int ASLEEP = 2;
    /** The place of who does not know its own. */
    static final int ALL = 0;
    static final long BYTE_SIZE = 8 * Words.LINE_BYTE_SIZE;

    private static final long EFFECTS = Long.BYTES;
    static final int PLACE_COUNT = (int) (BYTE_SIZE - EFFECTS) * Byte.SIZE;

    /** A longer sleep is cut: the kernel's clock arithmetic is not ours to test. */
    private static final long SLEEP_NS_MAX = 3_600_000_000_000L;

    private final MemorySegment memory;
    private final long offset;
    private final Libc.FutexScratch waitScratch = new Libc.FutexScratch();

    Doorbell(MemorySegment memory, long offset) {
        this.memory = memory;
        this.offset = offset;
    }

    /** After an effect on the queue pair of that place that the owner may wait for. */
    void ring(int place) {
        Words.LONG.getAndBitwiseOr(memory, effectsOffset(place), 1L << place);
        if ((int) Words.INT.getVolatile(memory, offset) != RUNG) {
            ringSlow();
        }
    }

    /** After an effect that is counted where the owner looks before it sleeps. */
    void ringIfAsleep(int place) {
        if ((int) Words.INT.getVolatile(memory, offset) == ASLEEP) {
            ring(place);
        }
    }

    private long effectsOffset(int place) {
        return offset + EFFECTS + (long) place / Long.SIZE * Long.BYTES;
    }

    private void ringSlow() {
        if ((int) Words.INT.getAndSet(memory, offset, RUNG) == ASLEEP) {
            wake();
        }
    }

    /** Also when it is rung already: who rang may have died before it could wake the owner. */
    void ringAndWake() {
        Words.INT.setVolatile(memory, offset, RUNG);
        wake();
    }

    private void wake() {
        Libc.futexWake(memory.address() + offset);
    }

    /** Before the owner looks for effects. @return whether it had been rung */
    boolean clear() {
        if ((int) Words.INT.getOpaque(memory, offset) != RUNG) {
            return false;
        }
        Words.INT.setVolatile(memory, offset, QUIET);
        return true;
    }

    /** After {@link #clear}. @return the effects on the 64 places from this one on, which is a multiple of 64 */
    long takeEffects(int place) {
        long at = effectsOffset(place);
        return (long) Words.LONG.getVolatile(memory, at) == 0 ? 0 : (long) Words.LONG.getAndSet(memory, at, 0L);
    }

    /** Whether it was rung since the last {@link #clear}. */
    boolean isRung() {
        return (int) Words.INT.getOpaque(memory, offset) == RUNG;
    }

    /** Prepares to sleep; effects that are looked for afterwards cannot be missed. @return false if it was rung */
    boolean prepareSleep() {
        boolean isPrepared = Words.INT.compareAndSet(memory, offset, QUIET, ASLEEP);
        VarHandle.fullFence();
        return isPrepared;
    }

    /** Sleeps until it is rung, the time is up, or for no reason. */
    void sleep(long timeoutNs) {
        int result = Libc.futexWait(memory.address() + offset, ASLEEP, Math.min(timeoutNs, SLEEP_NS_MAX), waitScratch);
        if (result != 0 && result != -Libc.EAGAIN && result != -Libc.EINTR && result != -Libc.ETIMEDOUT) {
            throw new IllegalStateException("futex wait failed: " + Libc.describe(result));
        }
    }

    /** It stays rung until {@link #clear}. */
    void endSleep() {
        Words.INT.compareAndSet(memory, offset, ASLEEP, QUIET);
    }
}
