package dev.verbena.trace;

/** Which site the coming allocation is of. Confined to one thread at a time. */
sealed interface Cursor permits NodeCursor, CallCursor {
    /** The same until {@link #advance()}. */
    Site site(long byteSize);

    /** Whether storage is to be born in registered memory at that site. */
    boolean isRegistered(long byteSize);

    /** The site that the budget is asked for: the one that the allocation was taken for when it was found to be sent. */
    Site payer(long byteSize);

    /** Whether the site was told by the order of allocations alone. */
    boolean isGuess();

    /** The allocation has been made, or storage was taken over instead. */
    void advance();
}
