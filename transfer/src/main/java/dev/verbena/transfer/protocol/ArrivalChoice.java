package dev.verbena.transfer.protocol;

import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePair;

/**
 * How the receivers of a device see that something has arrived: in the tail's sequence word only where both ends of the queue pair
 * {@linkplain QueuePair#writesInOrder know} that writes land in order, as a completion with immediate otherwise.
 *
 * @param mode as configured
 * @param fabric its name
 * @param areAllInOrder whether all queue pairs of the fabric write in order, so that no sender needs to be waited for
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> immutable.
 */
public record ArrivalChoice(ArrivalMode mode, String fabric, boolean areAllInOrder) {
    /** @throws IllegalArgumentException if the tail is asked for and the fabric does not promise in-order writes */
    public ArrivalChoice {
        if (mode == ArrivalMode.TAIL && !areAllInOrder) {
            throw new IllegalArgumentException("arrivalMode=TAIL needs writes in order, which fabric " + fabric
                    + " does not promise; use AUTO or IMMEDIATE");
        }
    }

    public static ArrivalChoice of(ArrivalMode mode, Fabric fabric) {
        return new ArrivalChoice(mode, fabric.name(), fabric.capabilities().writesInOrder());
    }

    /** Before there is a sender; AUTO if it depends on that. */
    public ArrivalMode beforehand() {
        return mode == ArrivalMode.AUTO && areAllInOrder ? ArrivalMode.TAIL : mode;
    }

    /** With a sender, by what both ends of the queue pair know. */
    ArrivalMode between(boolean isSenderInOrder, boolean isReceiverInOrder) {
        boolean isInOrder = isSenderInOrder && isReceiverInOrder;
        return mode != ArrivalMode.AUTO ? mode : isInOrder ? ArrivalMode.TAIL : ArrivalMode.IMMEDIATE;
    }

    /** Why that was chosen, in words. */
    public String reason(ArrivalMode chosen) {
        return switch (chosen) {
            case AUTO -> "tail or immediate: as the sender's queue pair writes in order or not";
            case TAIL -> "tail: " + (mode == chosen ? "as configured"
                    : areAllInOrder ? "fabric " + fabric + " writes in order"
                            : "both ends' queue pairs write in order");
            case IMMEDIATE -> "immediate: " + (mode == chosen ? "as configured"
                    : "fabric " + fabric + " does not promise in-order writes at both ends of the queue pair");
        };
    }
}
