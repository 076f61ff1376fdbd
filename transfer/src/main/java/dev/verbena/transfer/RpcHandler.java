package dev.verbena.transfer;

/**
 * Answers one method of the small RPC (EuroSys'19 §3.1).
 *
 * <p><b>Owner:</b> the device's user. <b>Threading:</b> called on whatever thread drives; must not block. Whatever it throws is the caller's answer.
 */
@FunctionalInterface
public interface RpcHandler {
    /** @return the answer, at most 64 KiB; an exception's message travels to the caller */
    byte[] handle(String peerName, byte[] request);
}
