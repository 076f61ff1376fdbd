package dev.verbena.cli.perf;

import java.util.List;

import dev.verbena.transfer.spi.QueuePair;

/**
 * The client of {@code put_bw}: one put after the other, on each queue pair in turn. Each is done when its call returns, so nothing is outstanding.
 *
 * <p>Threading: confined to the command's thread.
 */
final class PuttingPart implements Part {
    private final Side side;
    private final Puts puts;
    private final QueuePair[] queuePairs;
    private final BandwidthSamples samples;
    private final long byteSize;

    PuttingPart(Side side, long byteSize, long iterations) {
        this.side = side;
        this.byteSize = byteSize;
        puts = new Puts(side, byteSize);
        List<QueuePair> pairs = side.queuePairs();
        queuePairs = pairs.toArray(QueuePair[]::new);
        samples = new BandwidthSamples(byteSize, iterations * queuePairs.length, side.options().hasPeak(), 1);
    }

    @Override
    public void run(long iterations) {
        long done = 0;
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            long place = Buffers.place(i, byteSize);
            for (int each = 0; each < queuePairs.length; each++) {
                samples.posted(done);
                long offset = side.buffers().sendOffset(each) + place;
                puts.put(queuePairs[each], offset, side.remoteAddress(each) + place,
                        side.buffers().word(offset + byteSize - Long.BYTES));
                samples.completed(++done);
            }
        }
        samples.end(done);
    }

    @Override
    public Figures figures() {
        return samples.figures();
    }
}
