package dev.verbena.transfer.spi;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;

/**
 * A connection that a thread waits for.
 *
 * <p><b>Owner:</b> the call of {@code connect}. <b>Threading:</b> thread-safe; the thread that made it waits.
 */
final class AwaitedConnection implements ConnectHandler {
    private final Thread waiting = Thread.currentThread();
    // Guarded by this.
    private Connection connection;
    private TransferException failure;
    private boolean isGivenUp;

    /** Connects, and waits until the fabric says what has become of it. */
    Connection of(Fabric fabric, Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs) {
        fabric.connect(remote, queuePairs, timeoutNs, this);
        while (!isDone()) {
            if (waiting.isInterrupted() && giveUp()) {
                throw new TransferException("cannot connect to " + remote + ": interrupted");
            }
            fabric.edge().park(this, timeoutNs);
        }
        if (failure != null) {
            throw new TransferException(failure.getMessage(), failure);
        }
        return connection;
    }

    private synchronized boolean isDone() {
        return connection != null || failure != null;
    }

    private synchronized boolean giveUp() {
        isGivenUp = !isDone();
        return isGivenUp;
    }

    @Override
    public void onConnected(Connection made) {
        synchronized (this) {
            connection = made;
            if (!isGivenUp) {
                LockSupport.unpark(waiting);
                return;
            }
        }
        made.close();
    }

    @Override
    public synchronized void onFailed(TransferException cause) {
        failure = cause;
        LockSupport.unpark(waiting);
    }
}
