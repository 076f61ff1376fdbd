package dev.verbena.verbs.examples;

import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairOptions;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.ReceiveRequests;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.cm.CmConnection;
import dev.verbena.verbs.cm.CmListener;
import dev.verbena.verbs.cm.ConnectionParameters;

/**
 * The client offers a text, the server reads it from the client's memory and writes it back to another place there. It
 * speaks with {@code rping} of rdma-core, in either role.
 *
 * <pre>
 *   client                                   server
 *   send (address, rkey, size) of source ──→ read the source
 *                                        ←── send: go ahead
 *   send (address, rkey, size) of sink   ──→ write the sink
 *                                        ←── send: go ahead
 *
 *   the message:  0         8     12    16   big-endian
 *                 | address | rkey | size |
 *
 *   Rping -s [-a address] | -c -a address  [-p port] [-C rounds] [-S bytes] [-v] [-V] [-e]
 * </pre>
 *
 * <p>Threading: confined to its owner. Source: librdmacm/examples/rping.c of rdma-core.
 */
public final class Rping implements AutoCloseable {
    static final String VALUED = "apCS";
    static final String FLAGS = "scvVe";
    static final int DEFAULT_PORT = 7174;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(300);
    private static final int MESSAGE_BYTE_SIZE = 16;
    private static final int TEXT_BYTE_SIZE_MAX = 64 << 10;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** Where what lies in the region. */
    private static final long SENT = 0;
    private static final long RECEIVED = SENT + MESSAGE_BYTE_SIZE;
    private static final long SOURCE = RECEIVED + MESSAGE_BYTE_SIZE;
    private static final long SINK = SOURCE + TEXT_BYTE_SIZE_MAX;
    /** Work request ids. */
    private static final long SEND = 1;
    private static final long RECEIVE = 2;
    private static final long ACCESS = 3;

    private final CmConnection connection;
    private final Arguments arguments;
    private final PrintStream out;
    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final Completions completions;
    private final QueuePair pair;
    private final SendRequests sends = new SendRequests(1, 1);
    private final ReceiveRequests receives = new ReceiveRequests(1, 1);
    private volatile boolean isDisconnected;

    private Rping(CmConnection connection, Arguments arguments, PrintStream out) {
        this.connection = connection;
        this.arguments = arguments;
        this.out = out;
        DeviceContext context = connection.id().device();
        domain = context.allocateProtectionDomain();
        region = domain.allocate(SINK + TEXT_BYTE_SIZE_MAX,
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
        completions = new Completions(context, 32, arguments.has('e'));
        pair = connection.id().createQueuePair(domain, QueuePairOptions
                .of(QueuePairType.RELIABLE_CONNECTED, completions.queue()).withDepth(16, 2));
        receives.get(0).receive(RECEIVE).element(region, RECEIVED, MESSAGE_BYTE_SIZE);
        postReceive();
    }

    public static void main(String[] arguments) {
        Arguments parsed = Arguments.parse(arguments, VALUED, FLAGS);
        InetSocketAddress address = new InetSocketAddress(parsed.text('a', "0.0.0.0"),
                parsed.number('p', DEFAULT_PORT));
        if (parsed.has('c')) {
            connect(address, parsed, System.out);
        } else {
            try (CmListener listener = CmListener.listen(address, 1)) {
                serve(listener, parsed, System.out);
            }
        }
    }

    /** One read and one write at a time, retries as the C program has them. */
    private static ConnectionParameters parameters() {
        return ConnectionParameters.defaults().withReads(1, 1);
    }

    static void connect(InetSocketAddress address, Arguments arguments, PrintStream out) {
        try (CmConnection connection = CmConnection.resolve(address, TIMEOUT_NS);
                Rping rping = new Rping(connection, arguments, out)) {
            connection.connect(parameters(), TIMEOUT_NS);
            rping.ping();
            connection.disconnect(TIMEOUT_NS);
        }
    }

    /** Serves one client until it disconnects. */
    static void serve(CmListener listener, Arguments arguments, PrintStream out) {
        CmConnection connection = listener.next(TIMEOUT_NS);
        if (connection == null) {
            throw new IllegalStateException("no client came within five minutes");
        }
        try (connection; Rping rping = new Rping(connection, arguments, out)) {
            connection.accept(parameters(), TIMEOUT_NS);
            CompletableFuture<Void> end = CompletableFuture.runAsync(rping::awaitEnd);
            try {
                rping.pong();
            } finally {
                connection.id().disconnect();
                end.join();
            }
        }
    }

    private void awaitEnd() {
        try {
            connection.awaitDisconnected(TIMEOUT_NS);
        } finally {
            isDisconnected = true;
            completions.wake();
        }
    }

    private void ping() {
        int byteSize = arguments.number('S', 64);
        int rounds = arguments.number('C', Integer.MAX_VALUE);
        MemorySegment source = region.memory().asSlice(SOURCE, byteSize);
        MemorySegment sink = region.memory().asSlice(SINK, byteSize);
        for (int round = 0; round < rounds; round++) {
            source.copyFrom(MemorySegment.ofArray(text(round, byteSize)));
            advertise(SOURCE, byteSize);
            awaitWithinRound(RECEIVE);
            advertise(SINK, byteSize);
            awaitWithinRound(RECEIVE);
            if (arguments.has('V') && source.mismatch(sink) >= 0) {
                throw new IllegalStateException("round=" + round + ": what came back differs at byte="
                        + source.mismatch(sink));
            }
            if (arguments.has('v')) {
                out.println("ping data: " + sink.getString(0, StandardCharsets.US_ASCII));
            }
        }
    }

    /** A number, then letters that begin with another one each round. */
    private static byte[] text(int round, int byteSize) {
        byte[] text = new byte[byteSize];
        byte[] head = "rdma-ping-%d: ".formatted(round).getBytes(StandardCharsets.US_ASCII);
        int letters = 'z' - 'A' + 1;
        for (int i = 0; i < byteSize - 1; i++) {
            text[i] = i < head.length ? head[i] : (byte) ('A' + (round + i - head.length) % letters);
        }
        return text;
    }

    private void advertise(long offset, int byteSize) {
        region.memory().set(LONG, SENT, region.remoteAddress() + offset);
        region.memory().set(INT, SENT + 8, region.rkey());
        region.memory().set(INT, SENT + 12, byteSize);
        send();
    }

    private void pong() {
        MemorySegment message = region.memory().asSlice(RECEIVED, MESSAGE_BYTE_SIZE);
        while (await(RECEIVE)) {
            int byteSize = message.get(INT, 12);
            if (byteSize <= 0 || byteSize > TEXT_BYTE_SIZE_MAX) {
                throw new IllegalStateException("the client offers bytes=" + byteSize + " and may offer 1 to "
                        + TEXT_BYTE_SIZE_MAX);
            }
            sends.get(0).read(ACCESS, message.get(LONG, 0), message.get(INT, 8)).element(region, SINK, byteSize)
                    .signaled();
            post();
            awaitWithinRound(ACCESS);
            String text = region.memory().asSlice(SINK, byteSize).getString(0, StandardCharsets.US_ASCII);
            if (arguments.has('v')) {
                out.println("server ping data: " + text);
            }
            send();
            awaitWithinRound(RECEIVE);
            sends.get(0).write(ACCESS, message.get(LONG, 0), message.get(INT, 8))
                    .element(region, SINK, text.length() + 1L).signaled();
            post();
            awaitWithinRound(ACCESS);
            send();
        }
    }

    private void send() {
        sends.get(0).send(SEND).element(region, SENT, MESSAGE_BYTE_SIZE).signaled();
        post();
    }

    private void awaitWithinRound(long id) {
        if (!await(id)) {
            throw new IllegalStateException("the peer disconnected before a round was over");
        }
    }

    /** Passes over completed sends, whose message may be overwritten only then: the peer has answered before. */
    private boolean await(long id) {
        BooleanSupplier ended = () -> isDisconnected;
        long completed = completions.await(ended);
        while (completed == SEND) {
            completed = completions.await(ended);
        }
        if (completed == RECEIVE) {
            postReceive();
        }
        if (completed != id && completed != -1) {
            throw new IllegalStateException("request=" + completed + " completed before request=" + id);
        }
        return completed == id;
    }

    private void post() {
        if (pair.post(sends, 0, 1) != 1) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private void postReceive() {
        if (pair.post(receives, 0, 1) != 1) {
            throw new IllegalStateException("the receive queue is full");
        }
    }

    @Override
    public void close() {
        pair.close();
        completions.close();
        region.close();
        domain.close();
    }
}
