package dev.verbena.transfer;

import java.util.Arrays;

import dev.verbena.transfer.counters.CounterRow;
import dev.verbena.transfer.counters.CounterRow.Text;
import dev.verbena.transfer.counters.CounterRow.Word;
import dev.verbena.transfer.counters.LatencyBuckets;

/**
 * What one sender or receiver has done so far. Which bytes a CPU moved, and why, is in two numbers: staged, from ordinary memory into
 * registered; and fabric, because the fabric has no adapter to do it. Both are 0 where a tensor is sent from where it was computed, by
 * RDMA.
 *
 * @param name that both ends have in common
 * @param peer the device at the other end; empty while a receiver has none
 * @param receives whether this is the receiving end
 * @param choice the protocol, how arrival is seen, and why; and how many stripes a tensor may have, if more than one
 * @param tensors offered and taken, or polled
 * @param byteSize payload bytes of them
 * @param stagedTensors copied before they were sent
 * @param stagedByteSize payload bytes of those
 * @param fabricByteSize payload bytes that a CPU of this end moved to the peer or from it
 * @param backPressured offers that were not taken, and so were made again, or not at all
 * @param latencies of one tensor in sixteen, from the offer until the sender's memory was free again
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TransferStatistics(String name, String peer, boolean receives, String choice, long tensors,
        long byteSize, long stagedTensors, long stagedByteSize, long fabricByteSize, long backPressured,
        Latencies latencies) {
    /**
     * How long transfers took, in buckets a quarter of a doubling wide.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public static final class Latencies {
        private final long[] counts;

        private Latencies(long[] counts) {
            this.counts = counts;
        }

        /** Of those that were timed. */
        public long count() {
            return Arrays.stream(counts).sum();
        }

        /**
         * What so many per cent of the transfers did not exceed, to an eighth; 0 if none was timed.
         *
         * @throws IllegalArgumentException if the percentage is not above 0 and at most 100
         */
        public long percentileNs(double percentage) {
            if (!(percentage > 0 && percentage <= 100)) {
                throw new IllegalArgumentException("percentage=" + percentage + " is not above 0 and at most 100");
            }
            long wanted = (long) Math.ceil(count() * percentage / 100);
            long seen = 0;
            for (int i = 0; i < counts.length; i++) {
                seen += counts[i];
                if (seen >= wanted && wanted > 0) {
                    return LatencyBuckets.middleOf(i);
                }
            }
            return 0;
        }

        /** Of the transfers since an earlier look at the same sender. */
        public Latencies since(Latencies earlier) {
            long[] difference = new long[counts.length];
            for (int i = 0; i < counts.length; i++) {
                difference[i] = Math.max(counts[i] - earlier.counts[i], 0);
            }
            return new Latencies(difference);
        }

        @Override
        public String toString() {
            return "p50=" + percentileNs(50) + " ns p99=" + percentileNs(99) + " ns of " + count();
        }
    }

    static TransferStatistics of(CounterRow row) {
        return new TransferStatistics(row.text(Text.NAME), row.text(Text.PEER), row.get(Word.RECEIVES) != 0,
                row.text(Text.CHOICE), row.get(Word.TENSORS), row.get(Word.BYTES), row.get(Word.STAGED_TENSORS),
                row.get(Word.STAGED_BYTES), row.get(Word.FABRIC_BYTES), row.get(Word.BACK_PRESSURED),
                new Latencies(row.latencies()));
    }
}
