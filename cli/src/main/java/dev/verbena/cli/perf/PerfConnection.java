package dev.verbena.cli.perf;

import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.WaitNotices;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePair;

/**
 * A fabric, opened for one test, and the connection to the peer: the first queue pair is for control, the others are
 * measured.
 *
 * <p>Threading: confined to the command's thread.
 */
final class PerfConnection implements AutoCloseable {
    /** The server may be started at the same time, and a JVM starts slowly on a busy or emulated machine. */
    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final Fabric fabric;
    private final PerfOptions options;
    private final WaitNotices notices;
    private final QueuePairFactory factory;
    private final Buffers buffers;
    private Accepting accepting;
    private Endpoint listening;
    private Connection connection;

    private PerfConnection(Fabric fabric, PerfOptions options, WaitNotices notices) {
        this.fabric = fabric;
        this.options = options;
        this.notices = notices;
        check(options, fabric.name(), fabric.capabilities());
        factory = new QueuePairFactory(fabric, options);
        buffers = new Buffers(fabric, options);
    }

    /** @throws BadInputException if this machine or its fabric cannot do what is asked for */
    static PerfConnection open(PerfOptions options, WaitNotices notices) {
        try (WaitNotices.Notice _ = notices.begin(() -> "opening a device and registering memory", "",
                WaitNotices.NO_LIMIT)) {
            return open(openFabric(options), options, notices);
        }
    }

    private static PerfConnection open(Fabric fabric, PerfOptions options, WaitNotices notices) {
        try {
            return new PerfConnection(fabric, options, notices);
        } catch (RuntimeException e) {
            fabric.close();
            throw e;
        }
    }

    private static Fabric openFabric(PerfOptions options) {
        try {
            return Fabrics.select(options.fabric(), options.network()).open(options.network());
        } catch (TransferException e) {
            throw new BadInputException("--fabric=" + options.fabric() + ": " + e.getMessage());
        }
    }

    /** @throws BadInputException if a fabric that can so much cannot do what is asked for */
    static void check(PerfOptions options, String fabric, Capabilities can) {
        if (options.test().isAtomic() && !can.hasAtomics()) {
            throw new BadInputException("the device of fabric " + fabric
                    + " has no atomics to measure; verbena info lists what it can");
        }
        if (options.test().isPut() && !can.mapsPeerMemory()) {
            throw new BadInputException(
                    "fabric " + fabric + " puts nothing at once, since an adapter writes there; measure "
                            + (options.test().isBandwidth ? PerfTest.WRITE_BW : PerfTest.WRITE_LAT));
        }
        if (options.byteSizeMax() > can.messageByteSizeMax()) {
            throw new BadInputException("-s=" + options.byteSizeMax() + " is more than a message of fabric "
                    + fabric + " holds, " + can.messageByteSizeMax());
        }
        int depth = Math.max(options.sendDepth(), options.test().isSend() ? options.receiveDepth() : 1);
        if (depth > can.depthMax()) {
            throw new BadInputException("a queue depth of " + depth + " is more than fabric " + fabric
                    + " allows, " + can.depthMax() + "; give a smaller -t or -r");
        }
    }

    String fabricName() {
        return fabric.name();
    }

    Buffers buffers() {
        return buffers;
    }

    /** Begins to listen. @return where */
    Endpoint listen() {
        accepting = new Accepting(factory);
        // Peers on shm are on this machine; perftest's server can be reached from everywhere.
        String host = fabric.name().equals("shm") ? "127.0.0.1" : "0.0.0.0";
        try {
            listening = fabric.listen(new Endpoint(host, options.port()), "perf server", accepting);
            return listening;
        } catch (TransferException e) {
            throw new BadInputException("-p=" + options.port() + ": " + e.getMessage());
        }
    }

    /** Waits for the client, or connects to the server, and agrees with it on what is to be done. */
    Conversation begin() {
        connection = options.isServer() ? accept() : connect();
        try (WaitNotices.Notice _ = notices.begin(
                () -> "waiting for " + connection.peerName() + " to say what it was asked to measure",
                "see what it says there", WaitNotices.NO_LIMIT)) {
            return agree();
        }
    }

    private Conversation agree() {
        Trouble trouble = new Trouble(connection);
        List<QueuePair> all = connection.queuePairs();
        ControlPair control = new ControlPair(fabric, all.getFirst(), trouble);
        Agreement mine = Agreement.of(options, buffers);
        Agreement peer = exchange(control, mine);
        mine.check(peer);
        List<QueuePair> measured = all.subList(1, all.size());
        Receives receives = new Receives(measured, buffers);
        if (factory.postsReceives()) {
            receives.postAll(options.receiveDepth());
        }
        return new Conversation(control,
                new Side(options, measured, measured.getFirst().completionQueue(), buffers, peer, receives, trouble));
    }

    private Agreement exchange(ControlPair control, Agreement mine) {
        if (!options.isServer()) {
            control.send(mine.toWords());
            return Agreement.of(control.receive());
        }
        long[] words = control.receive();
        control.send(mine.toWords());
        return Agreement.of(words);
    }

    private Connection accept() {
        try (WaitNotices.Notice _ = notices.begin(() -> accepting.doing(listening),
                "start one with the same options and this host's name, or end this one (Ctrl-C)",
                WaitNotices.NO_LIMIT)) {
            return accepting.await();
        }
    }

    private Connection connect() {
        Endpoint server = new Endpoint(options.host(), options.port());
        try (WaitNotices.Notice _ = notices.begin(() -> "waiting for a perf server at " + server,
                "start it there first, without HOST", CONNECT_TIMEOUT_NS)) {
            return fabric.connect(server, factory.create(options.queuePairs() + 1), CONNECT_TIMEOUT_NS);
        } catch (TransferException e) {
            throw new BadInputException(e.getMessage() + "; start the server first, without HOST");
        }
    }

    /** Tells the peer that this side has failed, so that it need not guess. */
    void abort(String cause) {
        if (connection != null) {
            connection.abort(cause);
        }
    }

    @Override
    public void close() {
        fabric.close();
    }
}
