package dev.verbena.transfer.spi;

import java.util.Set;

/**
 * What a fabric can do, probed when it is opened.
 *
 * @param writesInOrder whether all its queue pairs {@linkplain QueuePair#writesInOrder write in order}; where not, some may nevertheless
 * @param wakesOnWrite whether a plain remote write ends the target's {@link CompletionQueue#await}
 * @param messageByteSizeMax largest single request
 * @param regionByteSizeMax largest region
 * @param depthMax largest send or receive queue
 * @param elementCountMax gather elements of a write or send
 * @param readElementCountMax scatter elements of a read; at most {@code elementCountMax}
 * @param hasAtomics whether compare-and-swap and fetch-and-add can be posted
 * @param movesByCpu whether the bytes are moved by a CPU of who posts the request, for want of an adapter
 * @param mapsPeerMemory whether {@link Connection#mapPeer} maps memory of peers, so that a tensor can be computed where it is received
 * @param imports what memory of others can be registered
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Capabilities(boolean writesInOrder, boolean wakesOnWrite, long messageByteSizeMax, long regionByteSizeMax,
        int depthMax, int elementCountMax, int readElementCountMax, boolean hasAtomics, boolean movesByCpu,
        boolean mapsPeerMemory, Set<Importable> imports) {
    /** Keeps a copy of the set of imports, which must hold no null. */
    public Capabilities {
        imports = Set.copyOf(imports);
    }
}
