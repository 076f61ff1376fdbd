package dev.verbena.graph.run;

/**
 * What a session has done so far; the figures of EuroSys'19 §5.1 (copies) and §3.4 (sites). A first iteration is the first run of a
 * set of fetches and targets; all others are later ones, in which only what was not sent before is copied.
 *
 * @param iterations runs finished
 * @param copiesFirst tensors copied into registered memory before sending, each once to however many tasks, in first iterations
 * @param copiesLater the same, in later ones
 * @param copiedByteSizeFirst their bytes
 * @param copiedByteSizeLater their bytes
 * @param transfersStatic tensors sent by static placement
 * @param transfersPlaced those of them that were computed in the receiver's slot, so that nobody moved their bytes
 * @param transfersLent tensors lent, of which nobody moved the bytes either
 * @param transfersDynamic tensors sent by dynamic allocation
 * @param sitesSeen allocation sites (node, i-th allocation) that the tracer saw
 * @param sitesRegistered those whose tensors are sent, and so are born in registered memory
 * @param crossingByteSize bytes of all tensors of known shape that this task sends in one iteration
 * @param plannedByteSize registered memory that the plan asked for
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SessionStatistics(long iterations, long copiesFirst, long copiesLater, long copiedByteSizeFirst,
        long copiedByteSizeLater, long transfersStatic, long transfersPlaced, long transfersLent,
        long transfersDynamic, int sitesSeen,
        int sitesRegistered,
        long crossingByteSize, long plannedByteSize) {}
