package dev.verbena.training;

/**
 * How the numbers of an image are arranged: channel after channel, each row after row.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record ImageShape(int channels, int rows, int columns) {
    public int featureCount() {
        return Math.multiplyExact(channels, Math.multiplyExact(rows, columns));
    }
}
