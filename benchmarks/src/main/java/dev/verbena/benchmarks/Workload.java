package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

import dev.verbena.testing.trace.ShippedTrace;
import dev.verbena.testing.trace.Trace;
import dev.verbena.testing.trace.TraceEvent;

/**
 * What every subject does, call by call, in arrays that Java and C loop over alike.
 *
 * <pre>
 *   random replacement   call k: free slot calls[k], allocate byteSizes[k] there
 *   a trace              call k: calls[k] >= 0: allocate byteSizes[calls[k]] in slot calls[k]; else free slot ~calls[k]
 *
 *   the file for C, in native order
 *   ┌──────────────────┬──────────────────┬─────────────────┬───────────────────────┐
 *   │ slotCount: int64 │ callCount: int64 │ calls: int32 [] │ byteSizes: int64 []   │
 *   └──────────────────┴──────────────────┴─────────────────┴───────────────────────┘
 * </pre>
 *
 * @param slotCount slots in use
 * @param byteSizes of each request: of each call in a random replacement, of each slot in a trace
 * @param regionByteSize of a region in which nobody has to search for room
 */
record Workload(int slotCount, int[] calls, long[] byteSizes, long regionByteSize) {
    static final int LIVE_COUNT = 1000;
    static final int REPLACEMENTS = 1 << 16;
    private static final int BYTE_SIZE_MIN = 64;
    private static final int DOUBLINGS = 10;
    private static final int BYTE_SIZE_MAX = BYTE_SIZE_MIN << DOUBLINGS;
    private static final long SEED = 1;
    /** Of each of several threads. */
    private static final int LIVE_OF_THREAD = 200;

    /** Large runs; Netty and a file's offsets end at 2 GiB, the largest activation here at 196 MiB. */
    private static final long RUN_BYTE_SIZE_MIN = 64 * 1024;
    private static final long RUN_BYTE_SIZE_MAX = 256 * 1024 * 1024;

    /**
     * 1,000 live blocks of 64 B to 64 KiB; again and again a random one makes room for a new one. Each doubling of the size is equally
     * likely: programs have more small blocks than large ones.
     */
    static Workload randomReplacement() {
        Random random = new Random(SEED);
        int[] calls = new int[REPLACEMENTS];
        long[] byteSizes = new long[REPLACEMENTS];
        for (int call = 0; call < REPLACEMENTS; call++) {
            calls[call] = random.nextInt(LIVE_COUNT);
            int doubling = BYTE_SIZE_MIN << random.nextInt(DOUBLINGS);
            byteSizes[call] = doubling + random.nextInt(doubling);
        }
        return new Workload(LIVE_COUNT, calls, byteSizes, 2L * LIVE_COUNT * BYTE_SIZE_MAX);
    }

    /**
     * 200 live blocks of one of several threads, all sizes between these, both included, equally likely. In a region with room to spare,
     * of which a sixteenth is live.
     */
    static Workload replacementOf(int byteSizeMin, int byteSizeMax) {
        Random random = new Random(SEED);
        int[] calls = random.ints(REPLACEMENTS, 0, LIVE_OF_THREAD).toArray();
        long[] byteSizes = random.longs(REPLACEMENTS, byteSizeMin, byteSizeMax + 1).toArray();
        return new Workload(LIVE_OF_THREAD, calls, byteSizes, 8L * LIVE_OF_THREAD * byteSizeMax);
    }

    /** A random replacement of so many times the slots; each pair is of another of those that were one. */
    Workload withSlots(int times) {
        int[] spread = new int[calls.length];
        for (int call = 0; call < calls.length; call++) {
            spread[call] = calls[call] * times + call % times;
        }
        return new Workload(times * slotCount, spread, byteSizes, times * regionByteSize);
    }

    /** The same by so many threads, each of which has slots of its own. */
    Workload by(int threads) {
        return new Workload(slotCount, calls, byteSizes, threads * regionByteSize);
    }

    /** What in a trace is large. */
    static Workload largeRunsOf(ShippedTrace which) {
        Trace trace = which.read().withinByteSizes(RUN_BYTE_SIZE_MIN, RUN_BYTE_SIZE_MAX);
        int[] calls = trace.events().stream().filter(event -> !(event instanceof TraceEvent.Mark))
                .mapToInt(event -> switch (event) {
                    case TraceEvent.Allocate allocate -> allocate.id();
                    case TraceEvent.Free free -> ~free.id();
                    case TraceEvent.Mark _ -> throw new AssertionError();
                }).toArray();
        return new Workload(trace.allocationCount(), calls, trace.byteSizes(), 2 * trace.livePeakByteSize());
    }

    /** The first requests in the first slots: the state that random replacement starts from. */
    void fill(Slots slots) {
        for (int slot = 0; slot < slotCount; slot++) {
            slots.allocate(slot, slot);
        }
    }

    void empty(Slots slots) {
        for (int slot = 0; slot < slotCount; slot++) {
            slots.free(slot);
        }
    }

    void write(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer
                .allocate(2 * Long.BYTES + calls.length * Integer.BYTES + byteSizes.length * Long.BYTES)
                .order(ByteOrder.nativeOrder()).putLong(slotCount).putLong(calls.length);
        for (int call : calls) {
            bytes.putInt(call);
        }
        for (long byteSize : byteSizes) {
            bytes.putLong(byteSize);
        }
        Files.write(file, bytes.array());
    }
}
