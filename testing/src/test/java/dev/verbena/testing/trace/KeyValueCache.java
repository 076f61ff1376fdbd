package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One layer of a transformer that serves: sequences come with a prompt of random length, get one token per step, and end at random. Keys
 * and values lie in blocks of 16 tokens (Kwon et al., <em>PagedAttention</em>, 2023); what a prompt is worked on in is as long as the
 * prompt and is gone at once. A step is an iteration.
 */
final class KeyValueCache {
    private static final int WIDTH = 4096;
    private static final int HEADS = 32;
    private static final int HALF_BYTES = 2;
    private static final int BLOCK_TOKENS = 16;
    private static final long BLOCK_BYTE_SIZE = (long) BLOCK_TOKENS * WIDTH * HALF_BYTES;
    private static final int PROMPT_MAX = 512;
    /** One sequence in so many ends in a step. */
    private static final int TOKENS_MEAN = 64;
    private static final int LIVE_MAX = 24;
    private static final int STEPS = 400;

    private final TraceBuilder trace = new TraceBuilder();
    private final List<Sequence> live = new ArrayList<>();
    private final Random random;

    private static final class Sequence {
        final List<Integer> ids = new ArrayList<>();
        int tokens;
    }

    private KeyValueCache(long seed) {
        random = new Random(seed);
    }

    static Trace of(long seed) {
        return new KeyValueCache(seed).run();
    }

    private Trace run() {
        trace.mark();
        for (int step = 0; step < STEPS; step++) {
            if (live.size() < LIVE_MAX && random.nextInt(4) == 0) {
                arrive();
            }
            live.forEach(sequence -> append(sequence, 1));
            live.removeIf(sequence -> random.nextInt(TOKENS_MEAN) == 0 && end(sequence));
            trace.mark();
        }
        live.forEach(this::end);
        return trace.build();
    }

    private void arrive() {
        Sequence sequence = new Sequence();
        int prompt = 1 + random.nextInt(PROMPT_MAX);
        int projected = trace.allocate(3L * prompt * WIDTH * HALF_BYTES);
        append(sequence, prompt);
        int scores = trace.allocate((long) HEADS * prompt * prompt * HALF_BYTES);
        int attended = trace.allocate((long) prompt * WIDTH * HALF_BYTES);
        trace.free(scores);
        trace.free(projected);
        trace.free(attended);
        live.add(sequence);
    }

    private void append(Sequence sequence, int tokens) {
        int blocks = blocks(sequence.tokens + tokens) - blocks(sequence.tokens);
        for (int block = 0; block < blocks; block++) {
            sequence.ids.add(trace.allocate(BLOCK_BYTE_SIZE)); // keys
            sequence.ids.add(trace.allocate(BLOCK_BYTE_SIZE)); // values
        }
        sequence.tokens += tokens;
    }

    private boolean end(Sequence sequence) {
        sequence.ids.forEach(trace::free);
        return true;
    }

    private static int blocks(int tokens) {
        return (tokens + BLOCK_TOKENS - 1) / BLOCK_TOKENS;
    }
}
