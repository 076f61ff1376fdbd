package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * What the two sides that meet at a port exchange; each space has ports of its own.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum rdma_port_space, rdma_create_id(3).
 */
public enum CmPortSpace {
    /** Messages over a reliable connection. */
    RELIABLE(RDMA_PS_TCP(), 56, 196, 148),
    /** Datagrams: connecting only tells one side where the other is. */
    DATAGRAM(RDMA_PS_UDP(), 180, 136, 136);

    private final int code;
    private final int connectPrivateByteSizeMax;
    private final int acceptPrivateByteSizeMax;
    private final int rejectPrivateByteSizeMax;

    CmPortSpace(int code, int connectPrivateByteSizeMax, int acceptPrivateByteSizeMax, int rejectPrivateByteSizeMax) {
        this.code = code;
        this.connectPrivateByteSizeMax = connectPrivateByteSizeMax;
        this.acceptPrivateByteSizeMax = acceptPrivateByteSizeMax;
        this.rejectPrivateByteSizeMax = rejectPrivateByteSizeMax;
    }

    static CmPortSpace of(int code) {
        return code == DATAGRAM.code ? DATAGRAM : RELIABLE;
    }

    int code() {
        return code;
    }

    /** Bytes of private data that {@link CmId#connect} takes; rdma_connect(3). */
    public int connectPrivateByteSizeMax() {
        return connectPrivateByteSizeMax;
    }

    /** Bytes of private data that {@link CmId#accept} takes; rdma_accept(3). */
    public int acceptPrivateByteSizeMax() {
        return acceptPrivateByteSizeMax;
    }

    /** Bytes of private data that {@link CmId#reject} takes; InfiniBand Architecture Specification 1.4, 12.6.7, 12.11.2. */
    public int rejectPrivateByteSizeMax() {
        return rejectPrivateByteSizeMax;
    }
}
