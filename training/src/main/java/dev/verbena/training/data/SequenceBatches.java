package dev.verbena.training.data;

import java.util.Arrays;

import dev.verbena.memory.Tensor;
import dev.verbena.training.DataException;

/**
 * Which sequences a worker sees in which iteration: a function of seed and iteration alone, as {@link MiniBatches} has it for images, but
 * with sequences of similar length side by side, so that little of a mini-batch is behind an end. Each epoch has its own random order of
 * all sequences; within pools of it they are sorted by length, then cut into mini-batches of all workers, which come in random order:
 *
 * <pre>
 *   order of an epoch  | pool, by length: | w0 | w1 | w0 | w1 | ... | pool, by length | ... | rest, not used |
 *                                          mini-batch   mini-batch
 * </pre>
 *
 * So w workers with a batch of b see together what one worker with a batch of w * b sees.
 *
 * <p><b>Owner:</b> the worker. <b>Threading:</b> confined to it.
 */
public final class SequenceBatches {
    /** Enough that lengths are similar, few enough that epochs differ in what comes together. */
    private static final int POOL_BATCHES = 32;

    private final SequenceSet sequences;
    private final long seed;
    private final int worker;
    private final int batch;
    private final int joined;
    private final int perEpoch;
    private int epoch = -1;
    private int[] order;
    private int[] batches;

    /** @throws DataException if there are fewer sequences than one mini-batch of all workers takes */
    public SequenceBatches(SequenceSet sequences, long seed, int workers, int worker, int batch) {
        if (sequences.count() < (long) workers * batch) {
            throw new DataException("there are " + sequences.count() + " sequences to train with, and a mini-batch of "
                    + workers + " workers takes " + (long) workers * batch
                    + "; give a longer text, a smaller batch or fewer workers");
        }
        this.sequences = sequences;
        this.seed = seed;
        this.worker = worker;
        this.batch = batch;
        joined = workers * batch;
        perEpoch = MiniBatches.iterationsPerEpoch(sequences.count(), workers, batch);
    }

    int iterationsPerEpoch() {
        return perEpoch;
    }

    /** The time dimension of an iteration, counted from 0 over all epochs: the longest of this worker's sequences. */
    public int steps(int iteration) {
        return sequences.steps(order(iteration), from(iteration), batch);
    }

    /** Fills the feeds of an iteration, as {@link SequenceSet#gather} does. */
    public void gather(int iteration, Tensor inputs, Tensor labels, Tensor ends) {
        sequences.gather(order(iteration), from(iteration), inputs, labels, ends);
    }

    private int from(int iteration) {
        return batches[iteration % perEpoch] * joined + worker * batch;
    }

    private int[] order(int iteration) {
        if (iteration / perEpoch != epoch) {
            epoch = iteration / perEpoch;
            SeededRandom random = new SeededRandom(seed, SeededRandom.Purpose.EPOCH, epoch);
            order = random.permutation(sequences.count());
            int used = perEpoch * joined;
            int pool = (int) Math.min(used, (long) POOL_BATCHES * joined);
            for (int from = 0; from < used; from += pool) {
                sortByLength(from, Math.min(from + pool, used));
            }
            batches = random.permutation(perEpoch);
        }
        return order;
    }

    /** Those of one length stay in the order in which they are. */
    private void sortByLength(int from, int to) {
        long[] keys = new long[to - from];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = (long) sequences.length(order[from + i]) << Integer.SIZE | i;
        }
        Arrays.sort(keys);
        int[] sorted = new int[keys.length];
        Arrays.setAll(sorted, i -> order[from + (int) keys[i]]);
        System.arraycopy(sorted, 0, order, from, sorted.length);
    }
}
