package dev.verbena.cli.perf;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The server's door: it lets one client in.
 *
 * <p>Threading: called by the fabric's control thread; {@link #await} by the command's.
 */
final class Accepting implements ConnectionHandler {
    private final QueuePairFactory factory;
    private final CompletableFuture<Connection> client = new CompletableFuture<>();
    /** Who asked to be let in, last; null while nobody has. */
    private volatile String visitor;

    Accepting(QueuePairFactory factory) {
        this.factory = factory;
    }

    /**
     * What the server does before it has a client. One that failed to connect does not end it, as it does not end perftest's: its
     * successor is as welcome.
     */
    String doing(Endpoint listening) {
        String last = visitor;
        return "waiting for a client at " + listening
                + (last == null ? "" : " (" + last + " came and has not connected; it says why)");
    }

    Connection await() {
        try {
            return client.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted while waiting for a client");
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        visitor = peerName;
        if (client.isDone()) {
            throw new TransferException("the server has its client already; start another one with another -p");
        }
        if (queuePairCount < 2 || queuePairCount > PerfArguments.QUEUE_PAIRS_MAX + 1) {
            throw new TransferException("queuePairs=" + queuePairCount + " are not what a client of perf asks for");
        }
        return factory.create(queuePairCount);
    }

    @Override
    public void onAccepted(Connection connection) {
        if (!client.complete(connection)) {
            connection.abort("the server has its client already");
        }
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        // Whoever waits for the peer finds the cause in the connection.
    }
}
