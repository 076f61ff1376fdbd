package dev.verbena.testing.program;

/**
 * What one end of a stream says of itself.
 *
 * @param isThere whether it was made
 * @param count tensors that it has offered, or received
 * @param isDone whether it does nothing more by itself: all that it was to offer has been offered, and each offer has ended
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record EndReport(boolean isThere, int count, boolean isDone, boolean isClosed, boolean hasFailed) {
    /** Of an end that has not been made, or that nobody knows anything of. */
    public static final EndReport NONE = new EndReport(false, 0, true, false, false);

    private boolean isOver() {
        return !isThere || isClosed || hasFailed;
    }

    /**
     * Whether all that was offered has arrived, or both ends know that it will not. Who has had a sender, and has it no more without a
     * goodbye, must know.
     *
     * @param isFromGone whether the sending process says nothing any more
     * @param isToGone whether the receiving one does
     * @param areConnected whether neither has ended its connections
     */
    public static boolean areSettled(EndReport sender, EndReport receiver, boolean isFromGone, boolean isToGone,
            boolean areConnected) {
        boolean hasAll = receiver.count == sender.count && sender.isDone;
        boolean isSenderSettled = isFromGone || sender.isOver()
                || areConnected && !receiver.hasFailed && hasAll;
        boolean isReceiverSettled = isToGone || receiver.isOver() || !sender.isThere
                || (!isFromGone || sender.isClosed) && hasAll && !sender.hasFailed;
        return isSenderSettled && isReceiverSettled;
    }

    /** @return what can never be, whatever has happened; null if it can */
    public static String fault(EndReport sender, EndReport receiver, boolean isFromGone) {
        return !isFromGone && sender.isDone && receiver.count > sender.count ? "more has arrived than was offered"
                : null;
    }

    String encode() {
        return isThere + " " + count + " " + isDone + " " + isClosed + " " + hasFailed;
    }

    static EndReport decode(String[] words, int from) {
        return new EndReport(Boolean.parseBoolean(words[from]), Integer.parseInt(words[from + 1]),
                Boolean.parseBoolean(words[from + 2]), Boolean.parseBoolean(words[from + 3]),
                Boolean.parseBoolean(words[from + 4]));
    }
}
