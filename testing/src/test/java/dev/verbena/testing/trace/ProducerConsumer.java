package dev.verbena.testing.trace;

import java.util.ArrayDeque;
import java.util.Random;

/**
 * A data loader: thread 0 reads images of random sizes, decodes them into a mini-batch and hands it over with labels and some small
 * descriptions; thread 1 uses it, with temporaries of its own, and frees it. Up to eight mini-batches wait between the two.
 */
final class ProducerConsumer {
    private static final int BATCH = 4;
    private static final long BATCH_BYTE_SIZE = (long) BATCH * 224 * 224 * 3;
    private static final int DESCRIPTIONS = 6;
    private static final int FILE_BYTE_SIZE_MIN = 20_000;
    private static final int FILE_BYTE_SIZE_MAX = 200_000;
    private static final int DESCRIPTION_BYTE_SIZE_MAX = 4096;
    private static final int WAITING_MAX = 8;
    private static final int BATCHES = 300;

    private final TraceBuilder trace = new TraceBuilder();
    private final ArrayDeque<int[]> waiting = new ArrayDeque<>();
    private final Random random;

    private ProducerConsumer(long seed) {
        random = new Random(seed);
    }

    static Trace of(long seed) {
        return new ProducerConsumer(seed).run();
    }

    private Trace run() {
        int produced = 0;
        trace.mark();
        while (produced < BATCHES || !waiting.isEmpty()) {
            boolean canProduce = produced < BATCHES && waiting.size() < WAITING_MAX;
            if (canProduce && (waiting.isEmpty() || random.nextBoolean())) {
                produce();
                produced++;
            } else {
                consume();
                trace.mark();
            }
        }
        return trace.build();
    }

    private void produce() {
        trace.onThread(0);
        int[] ids = new int[2 + DESCRIPTIONS];
        ids[0] = trace.allocate(BATCH_BYTE_SIZE);
        for (int image = 0; image < BATCH; image++) {
            trace.free(trace.allocate(between(FILE_BYTE_SIZE_MIN, FILE_BYTE_SIZE_MAX)));
        }
        ids[1] = trace.allocate((long) BATCH * Integer.BYTES);
        for (int i = 2; i < ids.length; i++) {
            ids[i] = trace.allocate(between(1, DESCRIPTION_BYTE_SIZE_MAX));
        }
        waiting.add(ids);
    }

    private void consume() {
        trace.onThread(1);
        int normalized = trace.allocate(BATCH_BYTE_SIZE * Float.BYTES);
        int[] ids = waiting.remove();
        trace.free(ids[0]);
        int means = trace.allocate((long) BATCH * 3 * Float.BYTES);
        trace.free(normalized);
        trace.free(means);
        for (int i = 1; i < ids.length; i++) {
            trace.free(ids[i]);
        }
    }

    private long between(int min, int max) {
        return min + (long) random.nextInt(max - min + 1);
    }
}
