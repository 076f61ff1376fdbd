package dev.verbena.trace;

/**
 * What a tracer has seen so far, all sites together.
 *
 * @param iterations that have ended
 * @param sites that have allocated, as opposed to taken over storage only
 * @param sitesRegistered those of them whose allocations get registered memory
 * @param sitesLeftOut that are sent and do not fit into the budget
 * @param registeredByteSize what registered sites allocate in an iteration, at most
 * @param sends tensors sent, from known and unknown addresses
 * @param copies those of them that were copied first
 * @param copiesLastIteration the same, in the iteration that ended last
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TracerStatistics(long iterations, int sites, int sitesRegistered, int sitesLeftOut,
        long registeredByteSize, long sends, long copies, long copiesLastIteration) {}
