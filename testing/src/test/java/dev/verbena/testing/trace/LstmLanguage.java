package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A language model in the manner of a PyTorch program: an embedding, an LSTM whose operations are of whole sequences, a projection to
 * words; SGD. Sequences of 10 to 120 steps, so that tensors of 0.3 to 20 MB have another size in each iteration. As there, gradients
 * live until the next iteration begins, and the program holds the last iteration's scores until it has the next ones: what stays is as
 * long as the sequence before.
 */
final class LstmLanguage {
    private static final int BATCH = 32;
    private static final int HIDDEN = 256;
    private static final int WORDS = 1300;
    private static final int STEPS_MIN = 10;
    private static final int STEPS_MAX = 120;
    private static final long[] WEIGHTS = {Model.floats(WORDS, HIDDEN), Model.floats(4, HIDDEN, HIDDEN),
            Model.floats(4, HIDDEN, HIDDEN), Model.floats(4, HIDDEN), Model.floats(4, HIDDEN),
            Model.floats(WORDS, HIDDEN), Model.floats(WORDS)};

    private final TraceBuilder trace = new TraceBuilder();
    private final List<Integer> gradients = new ArrayList<>();
    private final Random random;

    private LstmLanguage(long seed) {
        random = new Random(seed);
    }

    static Trace of(long seed, int iterations) {
        return new LstmLanguage(seed).run(iterations);
    }

    private Trace run(int iterations) {
        int[] weights = new int[WEIGHTS.length];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = trace.allocate(WEIGHTS[i]);
        }
        int scores = Value.NONE;
        for (int iteration = 0; iteration < iterations; iteration++) {
            trace.mark();
            freeAll(gradients);
            scores = train(STEPS_MIN + random.nextInt(STEPS_MAX - STEPS_MIN + 1), scores);
        }
        trace.mark();
        trace.free(scores);
        freeAll(gradients);
        for (int weight : weights) {
            trace.free(weight);
        }
        return trace.build();
    }

    /** @return the scores, which take the place of the last ones */
    private int train(int steps, int lastScores) {
        long states = Model.floats(steps, BATCH, HIDDEN);
        long words = Model.floats(steps, BATCH, WORDS);
        int input = trace.allocate(states);
        int gates = trace.allocate(4 * states);
        trace.free(trace.allocate(states / 2));
        int output = trace.allocate(states);
        int scores = trace.allocate(words);
        if (lastScores != Value.NONE) {
            trace.free(lastScores);
        }
        int probabilities = trace.allocate(words);
        int loss = trace.allocate(Float.BYTES);

        int ofProbabilities = trace.allocate(words);
        int ofScores = trace.allocate(words);
        trace.free(ofProbabilities);
        trace.free(probabilities);
        int ofOutput = trace.allocate(states);
        gradients.add(trace.allocate(WEIGHTS[5]));
        gradients.add(trace.allocate(WEIGHTS[6]));
        trace.free(ofScores);
        int ofInput = trace.allocate(states);
        for (int i = 1; i <= 4; i++) {
            gradients.add(trace.allocate(WEIGHTS[i]));
        }
        trace.free(trace.allocate(states));
        trace.free(ofOutput);
        trace.free(output);
        trace.free(gates);
        trace.free(input);
        gradients.add(trace.allocate(WEIGHTS[0]));
        trace.free(ofInput);
        trace.free(loss);
        return scores;
    }

    private void freeAll(List<Integer> ids) {
        ids.forEach(trace::free);
        ids.clear();
    }
}
