package dev.verbena.transfer.fabric.shm;

import java.util.Set;

import dev.verbena.transfer.spi.AccessRight;

/** Access rights as bits. */
final class Rights {
    static final int LOCAL_WRITE = bit(AccessRight.LOCAL_WRITE);
    static final int REMOTE_WRITE = bit(AccessRight.REMOTE_WRITE);
    static final int REMOTE_READ = bit(AccessRight.REMOTE_READ);
    static final int REMOTE_ATOMIC = bit(AccessRight.REMOTE_ATOMIC);

    private Rights() {}

    private static int bit(AccessRight right) {
        return 1 << right.ordinal();
    }

    static AccessRight name(int bit) {
        return AccessRight.values()[Integer.numberOfTrailingZeros(bit)];
    }

    /** @throws IllegalArgumentException on a set that no fabric can give ({@code ibv_reg_mr(3)}) */
    static int of(Set<AccessRight> rights) {
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
