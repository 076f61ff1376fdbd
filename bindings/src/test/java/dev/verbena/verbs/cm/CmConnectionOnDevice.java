package dev.verbena.verbs.cm;

import static dev.verbena.verbs.cm.CmPair.HANG_NS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import dev.verbena.verbs.Need;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.TestedDevice;

/** Connecting by waiting for each step, a thread per end. */
class CmConnectionOnDevice {
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(300);
    private static final int ROUNDS = 10;

    private final CmListener listener = CmListener.listen(new InetSocketAddress(CmPair.address(), 0), 4);
    private final InetSocketAddress address = listener.address();
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        executor.shutdownNow();
        listener.close();
    }

    @Test
    void connectsAndDisconnectsAndLeavesNothingBehind() throws Exception {
        round();
        long before = openFiles();
        for (int i = 0; i < ROUNDS; i++) {
            round();
        }
        assertEquals(before, openFiles());
    }

    private void round() throws Exception {
        CompletableFuture<Void> server = CompletableFuture.runAsync(() -> {
            try (CmConnection connection = next();
                    CmPair.Resources resources = new CmPair.Resources(connection.id().device())) {
                assertEquals(7, connection.request().privateData()[0]);
                QueuePair pair = connection.id().createQueuePair(resources.domain, resources.options());
                connection.accept(ConnectionParameters.defaults().withPrivateData(new byte[]{8}), HANG_NS);
                assertEquals(QueuePairState.READY_TO_SEND, pair.state());
                connection.awaitDisconnected(HANG_NS);
                pair.close();
            }
        }, executor);
        try (CmConnection connection = CmConnection.resolve(listener.address(), HANG_NS);
                CmPair.Resources resources = new CmPair.Resources(connection.id().device())) {
            assertNull(connection.request());
            QueuePair pair = connection.id().createQueuePair(resources.domain, resources.options());
            ConnectionParameters parameters = ConnectionParameters.defaults().withPrivateData(new byte[]{7});
            assertEquals(8, connection.connect(parameters, HANG_NS).privateData()[0]);
            connection.disconnect(HANG_NS);
            assertEquals(QueuePairState.ERROR, pair.state());
            pair.close();
        }
        server.get(HANG_NS, TimeUnit.NANOSECONDS);
    }

    private CmConnection next() {
        CmConnection connection = null;
        long start = System.nanoTime();
        while (connection == null && System.nanoTime() - start < HANG_NS) {
            connection = listener.next(HANG_NS);
        }
        assertNotNull(connection, "no request");
        return connection;
    }

    private static long openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.count();
        }
    }

    /** What connecting to where the listener is or was ends with, while {@code meanwhile} runs. */
    private ConnectionException refused(long timeoutNs, Runnable meanwhile) throws Exception {
        try (CmConnection connection = CmConnection.resolve(address, HANG_NS);
                CmPair.Resources resources = new CmPair.Resources(connection.id().device())) {
            QueuePair pair = connection.id().createQueuePair(resources.domain, resources.options());
            CompletableFuture<Void> other = CompletableFuture.runAsync(meanwhile, executor);
            ConnectionException refused = assertThrows(ConnectionException.class,
                    () -> connection.connect(ConnectionParameters.defaults(), timeoutNs));
            other.get(HANG_NS, TimeUnit.NANOSECONDS);
            pair.close();
            return refused;
        }
    }

    @Test
    void aRejectedOneSaysWhyAndBringsThePrivateData() throws Exception {
        ConnectionException refused = refused(HANG_NS, () -> {
            try (CmConnection connection = next()) {
                connection.reject(new byte[]{9});
            }
        });
        assertEquals(9, refused.event().privateData()[0]);
        assertTrue(refused.getMessage().contains("the program there refused"), refused::getMessage);
        if (TestedDevice.has(Need.INFINIBAND_REQUESTS)) {
            assertTrue(refused.getMessage().contains("refused by the program"), refused::getMessage);
        }
    }

    @Test
    void nobodyListeningIsSaidWithTheAddress() throws Exception {
        listener.close();
        ConnectionException refused = refused(HANG_NS, () -> {});
        assertTrue(refused.getMessage().contains("look whether the server runs and listens at that port"),
                refused::getMessage);
        assertTrue(refused.getMessage().contains(address.toString()), refused::getMessage);
    }

    @Test
    void aListenerThatClosesRefusesWhoWaits() throws Exception {
        ConnectionException refused = refused(HANG_NS, () -> {
            letTheRequestArrive();
            listener.close();
        });
        assertEquals(CmEventType.REJECTED, refused.event().type());
    }

    /** Were this too short, it would be refused because nobody listens any more: the same for who connects. */
    private static void letTheRequestArrive() {
        try {
            Thread.sleep(TimeUnit.NANOSECONDS.toMillis(SHORT_NS));
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aRequestThatIsClosedUnansweredIsRefused() throws Exception {
        ConnectionException refused = refused(HANG_NS, () -> next().close());
        assertEquals(CmEventType.REJECTED, refused.event().type());
    }

    @Test
    void nobodyAnsweringEndsAtTheDeadline() throws Exception {
        ConnectionException late = refused(SHORT_NS, () -> {});
        assertNull(late.event());
        assertTrue(late.getMessage().contains("no ESTABLISHED within timeoutMs=300"), late::getMessage);
        assertTrue(late.getMessage().contains(listener.address().toString()), late::getMessage);
    }

    @Test
    void wakingEndsTheWaitAtOnce() throws Exception {
        listener.wake();
        assertNull(listener.next(HANG_NS * 100), "woken before");
        CompletableFuture<CmConnection> waiting = CompletableFuture.supplyAsync(() -> listener.next(HANG_NS * 100),
                executor);
        listener.wake();
        assertNull(waiting.get(HANG_NS, TimeUnit.NANOSECONDS), "woken meanwhile");
        assertNull(listener.next(1), "time is up");
    }
}
