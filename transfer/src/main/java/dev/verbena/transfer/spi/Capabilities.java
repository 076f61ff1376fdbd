package dev.verbena.transfer.spi;

/**
 * What a fabric can do, probed when it is opened.
 *
 * @param writesInOrder whether the last 8 bytes of a write, when 8-byte aligned at the target, become visible after all others
 * @param wakesOnWrite whether a plain remote write ends the target's {@link CompletionQueue#await}
 * @param messageByteSizeMax largest single request
 * @param regionByteSizeMax largest region
 * @param depthMax largest send or receive queue
 * @param elementCountMax scatter/gather elements of a request
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Capabilities(boolean writesInOrder, boolean wakesOnWrite, long messageByteSizeMax, long regionByteSizeMax,
        int depthMax, int elementCountMax) {}
