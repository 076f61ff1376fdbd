package dev.verbena.training.data;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import dev.verbena.memory.Tensor;

/**
 * Sequences of ids in which each id is to be predicted from those before it: a sequence of n steps has n + 1 ids.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable, as far as the ids are.
 *
 * @param ids of the whole text; sets of one text share them
 * @param starts of each sequence in it
 * @param lengths of each, in steps
 */
public record SequenceSet(int[] ids, int[] starts, int[] lengths) {
    /** The label of what is behind the end of a sequence. */
    public static final int NO_LABEL = -1;

    public int count() {
        return starts.length;
    }

    public int start(int index) {
        return starts[index];
    }

    public int length(int index) {
        return lengths[index];
    }

    /** The sequences from one index to before another. */
    public SequenceSet part(int from, int to) {
        return new SequenceSet(ids, Arrays.copyOfRange(starts, from, to), Arrays.copyOfRange(lengths, from, to));
    }

    /** The time dimension of a mini-batch of the sequences {@code order[from]}, {@code order[from + 1]}, ... of this set. */
    public int steps(int[] order, int from, int batch) {
        int longest = 0;
        for (int i = from; i < from + batch; i++) {
            longest = Math.max(longest, lengths[order[i]]);
        }
        return longest;
    }

    /**
     * Fills a mini-batch with the sequences {@code order[from]}, {@code order[from + 1]}, ... of this set.
     *
     * @param inputs INT32 [time, batch]; behind a sequence's end the first id, which every table has
     * @param labels INT32, as many in the same order: the ids that follow; behind a sequence's end {@link #NO_LABEL}
     * @param ends INT32 [batch], the sequences' lengths
     */
    public void gather(int[] order, int from, Tensor inputs, Tensor labels, Tensor ends) {
        int time = Math.toIntExact(inputs.shape().dimension(0));
        int batch = Math.toIntExact(inputs.shape().dimension(1));
        if (steps(order, from, batch) > time || labels.shape().elementCount() != inputs.shape().elementCount()
                || ends.shape().elementCount() != batch) {
            throw new IllegalArgumentException("inputs" + inputs.shape() + ", labels" + labels.shape() + " and ends"
                    + ends.shape() + " do not fit " + batch + " sequences of up to " + steps(order, from, batch)
                    + " steps");
        }
        MemorySegment inputMemory = inputs.memory();
        MemorySegment labelMemory = labels.memory();
        for (int sequence = 0; sequence < batch; sequence++) {
            int index = order[from + sequence];
            ends.memory().setAtIndex(JAVA_INT, sequence, lengths[index]);
            for (int t = 0; t < time; t++) {
                long place = (long) t * batch + sequence;
                boolean counts = t < lengths[index];
                inputMemory.setAtIndex(JAVA_INT, place, counts ? ids[starts[index] + t] : 0);
                labelMemory.setAtIndex(JAVA_INT, place, counts ? ids[starts[index] + t + 1] : NO_LABEL);
            }
        }
    }
}
