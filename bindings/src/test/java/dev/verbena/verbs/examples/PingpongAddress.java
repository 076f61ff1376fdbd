package dev.verbena.verbs.examples;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * What two ping-pong programs tell each other over TCP: "lid:queue pair:packet sequence:gid", hexadecimal, with a zero
 * octet behind. Source: libibverbs/examples/rc_pingpong.c of rdma-core.
 *
 * @param subnetPrefix of the GID, 0 with 0 for none
 * @param interfaceId of the GID
 *
 * <p>Threading: immutable.
 */
record PingpongAddress(int lid, int queuePair, int packetSequence, long subnetPrefix, long interfaceId) {
    private static final int BYTE_SIZE = "0000:000000:000000:00000000000000000000000000000000".length() + 1;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    static PingpongAddress parse(String text) {
        String[] fields = text.split(":");
        return new PingpongAddress(Integer.parseInt(fields[0], 16), Integer.parseInt(fields[1], 16),
                Integer.parseInt(fields[2], 16), Long.parseUnsignedLong(fields[3].substring(0, 16), 16),
                Long.parseUnsignedLong(fields[3].substring(16, 32), 16));
    }

    String format() {
        return "%04x:%06x:%06x:%016x%016x".formatted(lid, queuePair, packetSequence, subnetPrefix, interfaceId);
    }

    /** The client speaks first. */
    PingpongAddress exchangeAsClient(Socket socket) throws IOException {
        send(socket);
        PingpongAddress peer = receive(socket);
        socket.getOutputStream().write(DONE);
        return peer;
    }

    static PingpongAddress receive(Socket socket) throws IOException {
        byte[] message = new DataInputStream(socket.getInputStream()).readNBytes(BYTE_SIZE);
        if (message.length < BYTE_SIZE) {
            throw new IOException("the peer sent bytes=" + message.length + " of " + BYTE_SIZE
                    + ": look at its output");
        }
        return parse(new String(message, 0, BYTE_SIZE - 1, StandardCharsets.US_ASCII));
    }

    /** In one write: the C program takes what one read gives. */
    void send(Socket socket) throws IOException {
        socket.getOutputStream().write((format() + '\0').getBytes(StandardCharsets.US_ASCII));
    }

    /** The server waits until the client is ready to receive. */
    static void awaitDone(Socket socket) throws IOException {
        if (socket.getInputStream().readNBytes(DONE.length).length < DONE.length) {
            throw new IOException("the peer ended before it was ready: look at its output");
        }
    }
}
