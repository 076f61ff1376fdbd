package dev.verbena.transfer.engine;

/**
 * Something in memory that a peer's plain write changes, of which no completion tells.
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> called while driving.
 */
@FunctionalInterface
public interface Watch {
    /** Looks whether it has changed, and acts on it. @return whether it is to be looked at again */
    boolean look();
}
