package dev.verbena.transfer.engine;

/**
 * Something in memory that only a peer changes: by a plain write, of which no completion tells, or by what arrives in a receive. What this side's own
 * requests change when they end is not looked at.
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> called while driving.
 */
@FunctionalInterface
public interface Watch {
    /** Looks whether it has changed, and acts on it. @return whether it is to be looked at again */
    boolean look();
}
