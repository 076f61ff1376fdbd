package dev.verbena.transfer.protocol;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Where one end of a statically placed tensor is in its life.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum PlacementState {
    /** The slots are announced under their name; no sender has asked for them yet, or the last one has closed. */
    AWAITING_SENDER,
    /** Both ends know each other's addresses; tensors flow. */
    OPEN,
    /** The peer is lost or a request failed; nothing flows any more. */
    FAILED,
    /** Closed by its owner; every use is an error. */
    CLOSED;

    private static final Map<PlacementState, Set<PlacementState>> LEGAL = new EnumMap<>(Map.of(
            AWAITING_SENDER, EnumSet.of(OPEN, CLOSED),
            OPEN, EnumSet.of(AWAITING_SENDER, FAILED, CLOSED),
            FAILED, EnumSet.of(CLOSED),
            CLOSED, EnumSet.noneOf(PlacementState.class)));

    boolean allows(PlacementState next) {
        return LEGAL.get(this).contains(next);
    }
}
