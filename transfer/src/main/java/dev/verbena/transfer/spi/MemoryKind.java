package dev.verbena.transfer.spi;

/**
 * Whose memory a region is.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum MemoryKind {
    /** The machine's: processors reach it too, so words that they look at lie here. */
    HOST,
    /** A device's, such as a GPU's: only devices reach it, and {@link MemoryRegion#memory} has nothing to show. */
    DEVICE
}
