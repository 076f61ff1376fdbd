package dev.verbena.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Ports for programs that must be given theirs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class FreePort {
    private FreePort() {}

    /** One that nobody has at the moment, on loopback. */
    public static int find() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
