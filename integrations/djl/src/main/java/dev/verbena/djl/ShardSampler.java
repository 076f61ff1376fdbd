package dev.verbena.djl;

import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;

import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Sampler;

/**
 * One member's part of each batch, in an order of its own in each epoch, which all members find for themselves from the same seed.
 *
 * <pre>
 *   shuffled   │ rank 0 │ rank 1 │ rank 0 │ rank 1 │ ...  │ rest │    each of batchSize; the rest, too few for all, is left out
 * </pre>
 *
 * Together they have what one process has with a batch of {@code batchSize * size}, batch by batch.
 *
 * <p>Threading: thread-safe; each call of {@link #sample} is the next epoch.
 */
final class ShardSampler implements Sampler {
    private final int rank;
    private final int size;
    private final int batchSize;
    private final long seed;
    private final AtomicLong epochs = new AtomicLong();

    ShardSampler(int rank, int size, int batchSize, long seed) {
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize=" + batchSize + "; give at least 1");
        }
        this.rank = rank;
        this.size = size;
        this.batchSize = batchSize;
        this.seed = seed;
    }

    @Override
    public Iterator<List<Long>> sample(RandomAccessDataset dataset) {
        long samples = dataset.size();
        long batches = samples / ((long) batchSize * size);
        if (batches == 0 || samples > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a data set of " + samples + " samples, for " + size
                    + " processes with batchSize=" + batchSize + "; give at least a batch to each, and less than 2^31");
        }
        int[] order = shuffled((int) samples, epochs.getAndIncrement());
        return new Iterator<>() {
            private long batch;

            @Override
            public boolean hasNext() {
                return batch < batches;
            }

            @Override
            public List<Long> next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("batches=" + batches);
                }
                int from = (int) ((batch++ * size + rank) * batchSize);
                return IntStream.range(from, from + batchSize).mapToObj(i -> (long) order[i]).toList();
            }
        };
    }

    /** By the same generator everywhere, whatever Java's default will be. */
    private int[] shuffled(int samples, long epoch) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed + epoch);
        int[] order = IntStream.range(0, samples).toArray();
        for (int i = samples - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int held = order[i];
            order[i] = order[other];
            order[other] = held;
        }
        return order;
    }

    @Override
    public int getBatchSize() {
        return batchSize;
    }
}
