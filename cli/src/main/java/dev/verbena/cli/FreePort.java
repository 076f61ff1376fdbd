package dev.verbena.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for programs that must be given theirs: below those that systems give away by themselves (Linux, ip_local_port_range), so that no other
 * process has it by chance before it is used.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class FreePort {
    private static final int MIN = 20_000;
    private static final int END = 32_000;
    private static final int TRIES = 1000;

    private FreePort() {}

    /** One that nobody has at the moment, on loopback. */
    public static int onLoopback() {
        for (int i = 0; i < TRIES; i++) {
            int port = onSomeHost();
            if (isFree(port)) {
                return port;
            }
        }
        throw new UncheckedIOException("no port from " + MIN + " to " + (END - 1) + " is free on loopback",
                new BindException());
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
            return true;
        } catch (BindException _) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException("no socket on loopback", e);
        }
    }

    /** Which ports another host has free is not seen from here; two programs rarely come to the same. */
    public static int onSomeHost() {
        return ThreadLocalRandom.current().nextInt(MIN, END);
    }
}
