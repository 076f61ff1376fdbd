package dev.verbena.verbs;

/**
 * The sizes that a packet's payload may have at most, and their codes in verbs.
 *
 * <p>Source: enum ibv_mtu, ibv_query_port(3).
 */
final class Mtu {
    private static final int BYTE_SIZE_MIN = 256;
    private static final int BYTE_SIZE_MAX = 4096;

    private Mtu() {}

    static int byteSize(int code) {
        return BYTE_SIZE_MIN >> 1 << code;
    }

    /** @throws IllegalArgumentException if it is none */
    static int code(int byteSize) {
        if (byteSize < BYTE_SIZE_MIN || byteSize > BYTE_SIZE_MAX || Integer.bitCount(byteSize) != 1) {
            throw new IllegalArgumentException("mtu=" + byteSize + ": give 256, 512, 1024, 2048 or 4096 bytes");
        }
        return Integer.numberOfTrailingZeros(byteSize) - 7;
    }
}
