package dev.verbena.transfer;

/**
 * How the receiver of a statically placed tensor sees that it has arrived (EuroSys'19 §3.2).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ArrivalMode {
    /** Tail where the fabric writes in order, immediate otherwise. */
    AUTO,
    /** A sequence word behind the payload, in the same write; only where the fabric promises in-order writes. */
    TAIL,
    /** The completion of a write with immediate. */
    IMMEDIATE
}
