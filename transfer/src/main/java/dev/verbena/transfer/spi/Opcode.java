package dev.verbena.transfer.spi;

/**
 * What a work request asks for, and what a completion reports.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Opcode {
    WRITE,
    WRITE_WITH_IMMEDIATE,
    READ,
    SEND,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    /** Completion only: a peer's SEND arrived in a posted receive. */
    RECEIVE,
    /** Completion only: a peer's WRITE_WITH_IMMEDIATE consumed a posted receive; the data is in the written region. */
    RECEIVE_WRITE_WITH_IMMEDIATE;

    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** Whether the request consumes a receive at the peer. */
    public boolean consumesReceive() {
        return this == SEND || this == WRITE_WITH_IMMEDIATE;
    }
}
