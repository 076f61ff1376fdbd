package dev.verbena.transfer.fabric;

import java.util.Set;

import dev.verbena.transfer.spi.AccessRight;

/**
 * Access rights as bits.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Rights {
    public static final int LOCAL_WRITE = bit(AccessRight.LOCAL_WRITE);
    public static final int REMOTE_WRITE = bit(AccessRight.REMOTE_WRITE);
    public static final int REMOTE_READ = bit(AccessRight.REMOTE_READ);
    public static final int REMOTE_ATOMIC = bit(AccessRight.REMOTE_ATOMIC);

    private Rights() {}

    private static int bit(AccessRight right) {
        return 1 << right.ordinal();
    }

    public static AccessRight name(int bit) {
        return AccessRight.values()[Integer.numberOfTrailingZeros(bit)];
    }

    /** @throws IllegalArgumentException on a set that no fabric can give ({@code ibv_reg_mr(3)}) */
    public static int of(Set<AccessRight> rights) {
        int bits = 0;
        for (AccessRight right : rights) {
            bits |= bit(right);
        }
        if ((bits & (REMOTE_WRITE | REMOTE_ATOMIC)) != 0 && (bits & LOCAL_WRITE) == 0) {
            throw new IllegalArgumentException(
                    "rights=" + rights + ": REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too");
        }
        return bits;
    }
}
