package dev.verbena.verbs;

/**
 * What a queue takes, as its creation said.
 *
 * @param depth requests
 * @param elementCountMax scatter/gather elements of each
 * @param inlineByteSizeMax bytes of inline data of each
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record QueueLimits(int depth, int elementCountMax, int inlineByteSizeMax) {
    /** Whether it fits while the queue is empty. */
    boolean admits(WorkRequest request) {
        return depth > 0 && (request.inlineByteSize() > 0 ? request.inlineByteSize() <= inlineByteSizeMax
                : request.elementCount() <= elementCountMax);
    }

    /** Of a request that it does not admit. */
    String excess(WorkRequest request) {
        if (depth == 0) {
            return "depth=0";
        }
        return request.inlineByteSize() > 0
                ? "inlineBytes=" + request.inlineByteSize() + ", inlineByteSizeMax=" + inlineByteSizeMax
                : "elements=" + request.elementCount() + ", elementCountMax=" + elementCountMax;
    }
}
