package dev.verbena.verbs.examples;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

import dev.verbena.verbs.Gid;

/**
 * What two ping-pong programs tell each other over TCP: "lid:queue pair:packet sequence:gid", hexadecimal, with a zero
 * octet behind. Source: libibverbs/examples/rc_pingpong.c of rdma-core.
 *
 * @param gid zero for none
 *
 * <p>Threading: immutable.
 */
record PingpongAddress(int lid, int queuePair, int packetSequence, Gid gid) {
    private static final int BYTE_SIZE = "0000:000000:000000:00000000000000000000000000000000".length() + 1;
    private static final byte[] DONE = "done\0".getBytes(StandardCharsets.US_ASCII);

    static PingpongAddress parse(String text) {
        String[] fields = text.split(":");
        return new PingpongAddress(Integer.parseInt(fields[0], 16), Integer.parseInt(fields[1], 16),
                Integer.parseInt(fields[2], 16), Gid.of(HexFormat.of().parseHex(fields[3])));
    }

    String format() {
        return "%04x:%06x:%06x:".formatted(lid, queuePair, packetSequence) + HexFormat.of().formatHex(gid.octets());
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
