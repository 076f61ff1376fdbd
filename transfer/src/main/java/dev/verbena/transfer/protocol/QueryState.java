package dev.verbena.transfer.protocol;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Where the question for a receiver's slots is.
 *
 * <pre>
 *            ┌──── "there is none" ───► WAITING ─┐
 *   ASKING ──┤                                   │ announced
 *     ▲  │   └──── slots, no, or failure ► OVER  │
 *     │  └── announced ──► OUTDATED ◄────────────┘
 *     └──────── again ────────┘
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum QueryState {
    /** The question is under way, or its answer. */
    ASKING,
    /** The peer had no such receiver, and will tell when it has. */
    WAITING,
    /** It has told: what it answered before counts no more, and it is to be asked again. */
    OUTDATED,
    /** There are slots, or there is nothing to wait for any more. */
    OVER;

    private static final Map<QueryState, Set<QueryState>> LEGAL = new EnumMap<>(Map.of(
            ASKING, EnumSet.of(WAITING, OUTDATED, OVER),
            WAITING, EnumSet.of(OUTDATED, OVER),
            OUTDATED, EnumSet.of(ASKING, OVER),
            OVER, EnumSet.noneOf(QueryState.class)));

    boolean allows(QueryState next) {
        return LEGAL.get(this).contains(next);
    }
}
