package dev.verbena.transfer;

/**
 * Which way {@link RdmaChannel#memcpy} copies.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Direction {
    LOCAL_TO_REMOTE,
    REMOTE_TO_LOCAL
}
