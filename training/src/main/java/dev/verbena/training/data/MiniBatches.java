package dev.verbena.training.data;

import dev.verbena.memory.Tensor;

/**
 * Which images a worker sees in which iteration. Each epoch has its own random order of all training images; iteration i of
 * it takes the i-th {@code workers * batch} of them, and worker w the w-th {@code batch} of those:
 *
 * <pre>
 *   order of an epoch  | w0 | w1 | w0 | w1 | ... | rest, not used |
 *                        iter. 0 | iter. 1 |
 * </pre>
 *
 * So w workers with a batch of b see together what one worker with a batch of w * b sees.
 *
 * <p><b>Owner:</b> the worker. <b>Threading:</b> confined to it.
 */
public final class MiniBatches {
    private final ImageSet images;
    private final long seed;
    private final int workers;
    private final int worker;
    private final int batch;
    private int epoch = -1;
    private int[] order;

    public MiniBatches(ImageSet images, long seed, int workers, int worker, int batch) {
        this.images = images;
        this.seed = seed;
        this.workers = workers;
        this.worker = worker;
        this.batch = batch;
    }

    public static int iterationsPerEpoch(int imageCount, int workers, int batch) {
        return (int) Math.max(1, imageCount / ((long) workers * batch));
    }

    /** Fills the feeds of an iteration, counted from 0 over all epochs. */
    public void gather(int iteration, Tensor imageRows, Tensor labelRows) {
        int perEpoch = iterationsPerEpoch(images.count(), workers, batch);
        if (iteration / perEpoch != epoch) {
            epoch = iteration / perEpoch;
            order = new SeededRandom(seed, SeededRandom.Purpose.EPOCH, epoch).permutation(images.count());
        }
        images.gather(order, (iteration % perEpoch * workers + worker) * batch, imageRows, labelRows);
    }
}
