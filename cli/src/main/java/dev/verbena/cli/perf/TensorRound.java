package dev.verbena.cli.perf;

/**
 * What the client has the server do next with tensors of one size.
 *
 * @param protocol that they go by
 * @param byteSize of a tensor
 * @param count of tensors of the client; what the server answers depends on the kind
 */
record TensorRound(Kind kind, TensorProtocol protocol, long byteSize, long count) {
    /** The order is part of what the two sides say to each other. */
    enum Kind {
        /** Ends for tensors of this size are made; {@code count} slots at the server, one at the client. */
        OPEN,
        /** The same; {@code count} slots at either. */
        OPEN_EVEN,
        /** Every byte of one tensor each way is compared; {@code count} is the seed of its content. */
        CHECK,
        /** Each tensor is answered by one. */
        PING,
        /** Each word is answered by a tensor. */
        ASK,
        /** All are answered by one. */
        STREAM,
        /** Ends are given back. */
        CLOSE,
        /** Nothing comes any more. */
        END
    }

    long[] toWords() {
        return new long[]{kind.ordinal(), protocol.ordinal(), byteSize, count};
    }

    static TensorRound of(long[] words) {
        return new TensorRound(Kind.values()[(int) words[0]], TensorProtocol.values()[(int) words[1]],
                words[2], words[3]);
    }
}
