package dev.verbena.trace;

/**
 * How a tracer traces.
 *
 * @param registeredByteSizeMax the byte budget: what registered sites may allocate in one iteration, all together. What does not fit stays
 *        ordinary and is copied; the sites with the most bytes sent per iteration go first
 * @param callSiteDepth how many frames of the stack, from the tracer's caller outwards, tell one call site from another, at least 1; for
 *        allocations outside nodes only
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TracerOptions(long registeredByteSizeMax, int callSiteDepth) {
    /** The allocator's, the kernel's, and two more: each takes half a microsecond in traced iterations. */
    private static final int CALL_SITE_DEPTH = 4;

    /** Throws {@link IllegalArgumentException} if the budget is negative, or the depth is less than 1. */
    public TracerOptions {
        if (registeredByteSizeMax < 0) {
            throw new IllegalArgumentException(
                    "registeredByteSizeMax=" + registeredByteSizeMax + "; give 0 or more");
        }
        if (callSiteDepth < 1) {
            throw new IllegalArgumentException("callSiteDepth=" + callSiteDepth + "; give at least 1");
        }
    }

    /** No budget, 4 frames. */
    public static TracerOptions defaults() {
        return new TracerOptions(Long.MAX_VALUE, CALL_SITE_DEPTH);
    }

    /** The same with another byte budget. */
    public TracerOptions withRegisteredByteSizeMax(long byteSize) {
        return new TracerOptions(byteSize, callSiteDepth);
    }

    boolean isLimited() {
        return registeredByteSizeMax != Long.MAX_VALUE;
    }
}
