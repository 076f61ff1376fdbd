package dev.verbena.training.checkpoint;

import java.util.Map;
import java.util.TreeMap;

/**
 * What a checkpoint says of the training that wrote it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param task whose variables these are
 * @param fingerprint of the options that another training must share to go on from here
 * @param iteration how many are done; the next has this number, counted from 0. The order of the data is a function of seed and iteration,
 *            so this is all of its state
 * @param state other numbers that the training needs to go on, by name
 */
record CheckpointHeader(String task, String fingerprint, long iteration, Map<String, Long> state) {
    CheckpointHeader {
        state = new TreeMap<>(state);
        if (iteration < 0) {
            throw new IllegalArgumentException("iteration=" + iteration + " is negative");
        }
    }
}
