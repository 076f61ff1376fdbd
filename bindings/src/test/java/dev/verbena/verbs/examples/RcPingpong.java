package dev.verbena.verbs.examples;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.DirectConnection;
import dev.verbena.verbs.DirectConnectionOptions;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairAddress;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.ReceiveRequests;
import dev.verbena.verbs.Retries;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.VerbsDevice;

/**
 * Sends a message to and fro over a reliable connection that two programs set up by hand, telling each other their
 * addresses over TCP. It speaks with {@code ibv_rc_pingpong} of rdma-core, in either role.
 *
 * <pre>
 *   RcPingpong [-d device] [-i port] [-g gid index] [-p TCP port] [-s bytes] [-m MTU] [-r depth] [-n rounds] [-l level]
 *              [-e] [-c] [-a address to listen at | host to connect to]
 * </pre>
 *
 * <p>Threading: confined to its owner.
 */
public final class RcPingpong implements AutoCloseable {
    static final String VALUED = "digpsmrnla";
    static final String FLAGS = "ec";
    private static final long RECEIVE = 1;
    private static final long SEND = 2;
    private static final int PAGE_BYTE_SIZE = 4096;
    private static final byte FILLING = 0x7b;
    private static final int SOCKET_TIMEOUT_MS = 60_000;

    private final boolean isClient;
    private final int byteSize;
    private final int rounds;
    private final int receiveDepth;
    private final boolean validates;
    private final Port port;
    private final GidEntry gid;
    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final Completions completions;
    private final QueuePair pair;
    private final DirectConnection connection;
    private final SendRequests sends = new SendRequests(1, 1);
    private final ReceiveRequests receives = new ReceiveRequests(1, 1);

    RcPingpong(Arguments arguments, boolean isClient) {
        this.isClient = isClient;
        byteSize = arguments.number('s', 4096);
        rounds = arguments.number('n', 1000);
        receiveDepth = arguments.number('r', 500);
        validates = arguments.has('c');
        context = DeviceContext.open(arguments.text('d', VerbsDevice.list().getFirst().name()));
        port = context.query().ports().get(arguments.number('i', 1) - 1);
        gid = port.gids().stream().filter(entry -> entry.index() == arguments.number('g', -1)).findFirst()
                .orElse(null);
        domain = context.allocateProtectionDomain();
        // The client sends the first half and receives into the second; the server sends back what it received.
        region = domain.allocate(2L * byteSize, EnumSet.of(AccessFlag.LOCAL_WRITE));
        completions = new Completions(context, receiveDepth + 1, arguments.has('e'));
        pair = domain.createQueuePair(QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, completions.queue())
                .withDepth(1, receiveDepth));
        receives.get(0).receive(RECEIVE).element(region, isClient ? byteSize : 0, byteSize);
        sends.get(0).send(SEND).element(region, 0, byteSize).signaled();
        connection = DirectConnection.prepare(pair, new DirectConnectionOptions(port, gid, arguments.number('m', 1024),
                0, arguments.number('l', 0), 0, Retries.defaults(), 1, 1, Set.of()));
        for (int i = 0; i < receiveDepth; i++) {
            postReceive();
        }
    }

    public static void main(String[] arguments) throws IOException {
        Arguments parsed = Arguments.parse(arguments, VALUED, FLAGS);
        int tcpPort = parsed.number('p', 18515);
        if (parsed.operand() != null) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(parsed.operand(), tcpPort), SOCKET_TIMEOUT_MS);
                connect(socket, parsed, System.out);
            }
        } else {
            try (ServerSocket server = new ServerSocket(tcpPort, 1, InetAddress.getByName(parsed.text('a', null)))) {
                serve(server, parsed, System.out);
            }
        }
    }

    /** As client. */
    static void connect(Socket socket, Arguments arguments, PrintStream out) throws IOException {
        socket.setSoTimeout(SOCKET_TIMEOUT_MS);
        try (RcPingpong pingpong = new RcPingpong(arguments, true)) {
            pingpong.connectTo(pingpong.address().exchangeAsClient(socket), out);
            pingpong.play(out);
        }
    }

    /** As server of one client. */
    static void serve(ServerSocket server, Arguments arguments, PrintStream out) throws IOException {
        server.setSoTimeout(SOCKET_TIMEOUT_MS);
        try (RcPingpong pingpong = new RcPingpong(arguments, false)) {
            try (Socket socket = server.accept()) {
                socket.setSoTimeout(SOCKET_TIMEOUT_MS);
                pingpong.connectTo(PingpongAddress.receive(socket), out);
                pingpong.address().send(socket);
                PingpongAddress.awaitDone(socket);
            }
            pingpong.play(out);
        }
    }

    private PingpongAddress address() {
        QueuePairAddress address = connection.address();
        return new PingpongAddress(address.lid(), address.queuePairNumber(), address.packetSequence(), address.gid());
    }

    /** The C program tells neither its MTU nor its reads: both sides are given the same. */
    private void connectTo(PingpongAddress peer, PrintStream out) {
        out.println("local address:  " + address().format());
        out.println("remote address: " + peer.format());
        connection.connect(new QueuePairAddress(peer.queuePair(), peer.packetSequence(), peer.gid(), peer.lid(),
                connection.address().mtu(), 1));
    }

    private void play(PrintStream out) {
        fill();
        long start = System.nanoTime();
        int sent = 0;
        int received = 0;
        long pending = RECEIVE;
        if (isClient) {
            pending |= SEND;
            postSend();
        }
        while (sent < rounds || received < rounds) {
            long completed = completions.await(() -> false);
            pending &= ~completed;
            if (completed == SEND) {
                sent++;
            } else {
                received++;
                postReceive();
            }
            if (pending == 0 && sent < rounds) {
                pending = RECEIVE | SEND;
                postSend();
            }
        }
        if (validates) {
            validate();
        }
        double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
        out.printf("%d iters in %.2f seconds = %.2f usec/iter%n", rounds, seconds, seconds * 1e6 / rounds);
    }

    /** A client's pattern differs by offset, so that what comes back is its own. The C program looks at page starts. */
    private void fill() {
        MemorySegment memory = region.memory();
        for (int i = 0; i < byteSize; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, expected(i));
        }
    }

    private byte expected(int offset) {
        if (offset % PAGE_BYTE_SIZE == 0) {
            return 0;
        }
        return isClient ? (byte) (offset * 31 + offset / PAGE_BYTE_SIZE) : FILLING;
    }

    private void validate() {
        long offset = isClient ? byteSize : 0;
        for (int i = 0; i < byteSize; i++) {
            byte got = region.memory().get(ValueLayout.JAVA_BYTE, offset + i);
            if (got != expected(i)) {
                throw new IllegalStateException("byte=" + i + " is " + got + " and should be " + expected(i));
            }
        }
    }

    private void postSend() {
        if (pair.post(sends, 0, 1) != 1) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private void postReceive() {
        if (pair.post(receives, 0, 1) != 1) {
            throw new IllegalStateException("the receive queue is full, depth=" + receiveDepth);
        }
    }

    @Override
    public void close() {
        pair.close();
        completions.close();
        region.close();
        domain.close();
        context.close();
    }
}
