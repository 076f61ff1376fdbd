package dev.verbena.transfer.protocol;

import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.transfer.TransferException;

/**
 * The methods that a device answers.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe; methods run on whatever thread drives.
 */
public final class RpcMethods {
    /** Answers a request of a peer; must not block. */
    @FunctionalInterface
    public interface Method {
        byte[] answer(PeerConnection peer, byte[] request);
    }

    private final ConcurrentHashMap<String, Method> methods = new ConcurrentHashMap<>();

    /** No methods yet. */
    public RpcMethods() {}

    public void add(String name, Method method) {
        if (methods.putIfAbsent(name, method) != null) {
            throw new IllegalArgumentException("method '" + name + "' is already handled");
        }
    }

    byte[] answer(PeerConnection peer, RpcFrame request) {
        Method method = methods.get(request.method());
        if (method == null) {
            throw new TransferException("no method '" + request.method() + "'");
        }
        return method.answer(peer, request.payload());
    }
}
