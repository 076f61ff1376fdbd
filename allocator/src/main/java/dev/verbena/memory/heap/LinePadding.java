package dev.verbena.memory.heap;

/**
 * Keeps the fields of its subclasses {@link #BYTE_SIZE} bytes away from whatever lies in front of the object: HotSpot lays out the fields
 * of a class behind those of its superclass. Who wants the same room behind them has a last subclass with so many again.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> the fields are never used.
 */
@SuppressWarnings("unused")
abstract class LinePadding {
    /** A cache line, and the one that many processors fetch with it. */
    static final int BYTE_SIZE = 128;

    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    /** Where the header leaves a gap it goes there, and no field of a subclass does. */
    private int gap;
}
