package dev.verbena.transfer;

/**
 * Answers one method of the small RPC (EuroSys'19 §3.1).
 *
 * <p><b>Owner:</b> the device's user. <b>Threading:</b> called on a poller's thread; must not block.
 */
@FunctionalInterface
public interface RpcHandler {
    /** @return the answer, at most 64 KiB; an exception's message travels to the caller */
    byte[] handle(String peerName, byte[] request);
}
