package dev.verbena.transfer.group;

/**
 * How an operation is done: a state machine, one operation at a time.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving.
 */
interface Algorithm {
    void begin(Operation operation);

    /** Goes on as far as that is possible now. @return whether all has come, and all has been handed over */
    boolean advance();

    /** Whether it cannot go on without that member. */
    boolean awaits(Member member);
}
