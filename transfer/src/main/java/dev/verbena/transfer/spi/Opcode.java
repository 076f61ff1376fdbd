package dev.verbena.transfer.spi;

/**
 * What a work request asks for, and what a completion reports.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Opcode {
    /** RDMA write: puts the elements' bytes into the peer's memory, without a receive and without word to the peer's program. */
    WRITE,
    /** As WRITE, and then consumes a receive of the peer, whose completion has {@link WorkRequest#immediate}. */
    WRITE_WITH_IMMEDIATE,
    /** RDMA read: fetches bytes of the peer's memory into the elements, without word to the peer's program. */
    READ,
    /** The elements go as one message into the oldest receive that the peer has posted; while there is none it waits. */
    SEND,
    /** Atomically sets 8 bytes of the peer to {@code swap} if they equal {@code compareOrAdd}; the element takes the old value. */
    COMPARE_AND_SWAP,
    /** Atomically adds {@code compareOrAdd} to 8 bytes of the peer, modulo 2<sup>64</sup>; the element takes the old value. */
    FETCH_AND_ADD,
    /** Completion only: a peer's SEND arrived in a posted receive. */
    RECEIVE,
    /** Completion only: a peer's WRITE_WITH_IMMEDIATE consumed a posted receive; the data is in the written region. */
    RECEIVE_WRITE_WITH_IMMEDIATE;

    /** Whether it works on 8 aligned bytes of the peer in one step; only for fabrics with {@link Capabilities#hasAtomics}. */
    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    /** Whether the request consumes a receive at the peer. */
    public boolean consumesReceive() {
        return this == SEND || this == WRITE_WITH_IMMEDIATE;
    }
}
