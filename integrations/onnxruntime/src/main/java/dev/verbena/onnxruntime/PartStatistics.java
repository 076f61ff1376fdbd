package dev.verbena.onnxruntime;

/**
 * What a part has done.
 *
 * @param inferences that it has sent the outputs of
 * @param placed outputs that were computed in the slot of the one process that takes them, so that nothing was left to send but word of it
 * @param copies of outputs before they were sent, two of each whose shape was known only when ONNX Runtime had computed it into memory of its
 *     own
 * @param copiesFirst those of the first inference
 * @param copiedByteSize that processors have moved for that
 * @param runNs time in ONNX Runtime
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record PartStatistics(long inferences, long placed, long copies, long copiesFirst, long copiedByteSize,
        long runNs) {
    /** Those behind the first inference. */
    public long copiesLater() {
        return copies - copiesFirst;
    }
}
