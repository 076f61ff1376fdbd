package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.cli.ManualTimer;
import dev.verbena.cli.WaitNotices;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;

/** Neither side is silent while it waits for the other; time passes when the test says so. */
@Timeout(60)
class WaitingTest {
    private final ManualTimer timer = new ManualTimer();
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final WaitNotices notices = new WaitNotices(timer, said::add);
    private final ConcurrentLinkedQueue<Thread> threads = new ConcurrentLinkedQueue<>();

    /** Somebody listens, and never answers the handshake. */
    @Test
    void aClientNamesTheServerThatItWaitsFor() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            PerfOptions options = PerfPair.options(List.of("write_lat"), "-p=" + silent.getLocalPort(), "127.0.0.1");
            try (PerfConnection client = PerfConnection.open(options, notices)) {
                Future<?> waiting = start(client::begin);
                awaitNotice();
                timer.advance(TimeUnit.SECONDS.toNanos(4));
                assertEquals(List.of("still waiting for a perf server at 127.0.0.1:" + silent.getLocalPort()
                        + ", for 4 s, 26 s more at most; start it there first, without HOST"), said);
                end(waiting);
            }
        }
    }

    @Test
    void aServerSaysWhereItWaitsAndWhoHasFailedToComeIn() throws Exception {
        PerfOptions options = PerfPair.options(List.of("write_lat"), "-p=0");
        try (PerfConnection server = PerfConnection.open(options, notices)) {
            Endpoint endpoint = server.listen();
            Future<?> waiting = start(server::begin);
            awaitNotice();
            timer.advance(TimeUnit.SECONDS.toNanos(4));
            assertEquals(List.of("still waiting for a client at " + endpoint
                    + ", for 4 s; start one with the same options and this host's name, or end this one (Ctrl-C)"),
                    said);
            end(waiting);
        }
    }

    @Test
    void aVisitorWithoutAConnectionIsNamed() {
        Accepting accepting = new Accepting(null);
        Endpoint endpoint = new Endpoint("host1", 1);
        assertEquals("waiting for a client at host1:1", accepting.doing(endpoint));
        try {
            accepting.onRequest("process 7", 1);
        } catch (TransferException refused) {
            assertTrue(refused.getMessage().contains("queuePairs=1"), refused.getMessage());
        }
        assertEquals("waiting for a client at host1:1 (process 7 came and has not connected; it says why)",
                accepting.doing(endpoint));
    }

    @Test
    void bothSidesSayWhatTheyMeasure() throws Exception {
        try (PerfPair pair = new PerfPair("write_lat", "-n=10", "--warm-up=5")) {
            Future<Conversation> serving = pair.start(pair.server::begin);
            Conversation client = PerfPair.await(pair.start(pair.client::begin));
            Conversation server = PerfPair.await(serving);
            Future<?> following = pair.start(server::run);
            client.run();
            PerfPair.await(following);
            assertEquals("measuring messages of 2 bytes", client.doing());
            assertEquals("serving the client, which measures messages of 2 bytes", server.doing());
        }
    }

    private Future<?> start(Runnable side) {
        FutureTask<?> task = new FutureTask<>(side, null);
        threads.add(Thread.ofPlatform().daemon().start(task));
        return task;
    }

    /** The side has come to its wait. */
    private void awaitNotice() {
        while (timer.pendingCount() == 0) {
            Thread.onSpinWait();
        }
    }

    private void end(Future<?> waiting) {
        threads.forEach(Thread::interrupt);
        while (!waiting.isDone()) {
            Thread.onSpinWait();
        }
        assertEquals(0, timer.pendingCount());
    }
}
