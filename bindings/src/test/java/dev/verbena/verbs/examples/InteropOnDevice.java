package dev.verbena.verbs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.verbs.Need;
import dev.verbena.verbs.Needs;
import dev.verbena.verbs.TestedDevice;
import dev.verbena.verbs.cm.CmEventType;
import dev.verbena.verbs.cm.CmListener;
import dev.verbena.verbs.cm.ConnectionException;

/** Our examples with the programs of rdma-core that they are written after, each in both roles. */
class InteropOnDevice {
    private static final int ROUNDS = 20;
    private static final InetAddress ADDRESS = TestedDevice.address();
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(60);

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true);
    private final String device = TestedDevice.name();

    /** 3 pages and a half: the C programs look at page starts, ours at each byte. */
    private Arguments pingpong(String events) {
        return Arguments.parse(pingpongOptions(events), RcPingpong.VALUED, RcPingpong.FLAGS);
    }

    private String[] pingpongOptions(String events) {
        String options = "-d " + device + " -g " + TestedDevice.gidIndex() + " -n " + ROUNDS + " -s 14336 -r 8 -c "
                + events;
        return options.strip().split(" ");
    }

    private static String[] command(String program, String[] options, String... more) {
        return Stream.of(List.of(program), List.of(options), List.of(more)).flatMap(List::stream)
                .toArray(String[]::new);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest
    @Needs(Need.CONNECTING_BY_HAND)
    @CsvSource({"'',''", "-e,-e", "'',-e", "-e,''"})
    void pingpongServesTheCProgram(String ours, String theirs) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                CProgram client = new CProgram(command("ibv_rc_pingpong", pingpongOptions(theirs), "-p",
                        "" + server.getLocalPort(), "127.0.0.1"))) {
            RcPingpong.serve(server, pingpong(ours), out);
            assertTrue(client.succeed().contains(ROUNDS + " iters in"));
        }
        assertTrue(printed.toString().contains(ROUNDS + " iters in"));
    }

    @ParameterizedTest
    @Needs(Need.CONNECTING_BY_HAND)
    @CsvSource({"'',''", "-e,-e", "'',-e", "-e,''"})
    void pingpongIsServedByTheCProgram(String ours, String theirs) throws Exception {
        int port = freePort();
        try (CProgram server = new CProgram(command("ibv_rc_pingpong", pingpongOptions(theirs), "-p", "" + port));
                Socket socket = connect(port, server)) {
            RcPingpong.connect(socket, pingpong(ours), out);
            String theirOutput = server.succeed();
            assertTrue(theirOutput.contains(ROUNDS + " iters in"), theirOutput);
            assertFalse(theirOutput.contains("invalid data"), theirOutput);
        }
        assertTrue(printed.toString().contains(ROUNDS + " iters in"));
    }

    /** The program says nothing when it listens. */
    private static Socket connect(int port, CProgram server) throws Exception {
        long start = System.nanoTime();
        while (true) {
            try {
                return new Socket(InetAddress.getLoopbackAddress(), port);
            } catch (IOException notYet) {
                if (!server.isAlive() || System.nanoTime() - start > HANG_NS) {
                    throw new IOException(server.output(), notYet);
                }
                Thread.sleep(10);
            }
        }
    }

    private static Arguments rping(String events) {
        return Arguments.parse(("-C " + ROUNDS + " -S 5000 -v -V " + events).strip().split(" "), Rping.VALUED,
                Rping.FLAGS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-e"})
    void rpingServesTheCProgram(String events) throws Exception {
        try (CmListener listener = CmListener.listen(new InetSocketAddress(ADDRESS, 0), 1);
                CProgram client = new CProgram("rping", "-c", "-a", ADDRESS.getHostAddress(), "-p",
                        "" + listener.address().getPort(), "-C", "" + ROUNDS, "-S", "5000", "-v", "-V")) {
            Rping.serve(listener, rping(events), out);
            assertEquals(ROUNDS, count("ping data: rdma-ping-", client.succeed()));
        }
        assertEquals(ROUNDS, count("server ping data: rdma-ping-", printed.toString()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-e"})
    void rpingIsServedByTheCProgram(String events) throws Exception {
        int port = freePort();
        try (CProgram server = new CProgram("rping", "-s", "-a", ADDRESS.getHostAddress(), "-p", "" + port, "-C",
                "" + ROUNDS, "-S", "5000", "-v")) {
            connect(new InetSocketAddress(ADDRESS, port), rping(events), server);
            assertEquals(ROUNDS, count("server ping data: rdma-ping-", server.succeed()));
        }
        assertEquals(ROUNDS, count("ping data: rdma-ping-", printed.toString()));
    }

    /**
     * The program says nothing when it listens. Soft-iWARP loses who comes at the moment at which it begins to: its socket listens a
     * little before its connection manager does. Such a one hears nothing for ten seconds, and the program waits for the next.
     */
    private void connect(InetSocketAddress address, Arguments arguments, CProgram server) throws Exception {
        long start = System.nanoTime();
        while (true) {
            try {
                Rping.connect(address, arguments, out);
                return;
            } catch (ConnectionException e) {
                boolean isTooEarly = e.getMessage().contains("listens at that port")
                        || e.event() != null && e.event().type() == CmEventType.UNREACHABLE;
                if (!isTooEarly || !server.isAlive() || System.nanoTime() - start > HANG_NS) {
                    throw e;
                }
                Thread.sleep(10);
            }
        }
    }

    private static int count(String part, String text) {
        return text.split(part, -1).length - 1;
    }
}
