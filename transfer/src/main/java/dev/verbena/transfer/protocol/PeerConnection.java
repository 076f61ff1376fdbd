package dev.verbena.transfer.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.QueuePair;

/**
 * Everything between this device and one peer: queue pair 0 carries the small RPC, the others tensors. Their arrivals with
 * immediate go to the receiver that the immediate names.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class PeerConnection {
    private final Connection connection;
    private final PolledQueuePair rpcQueuePair;
    private final List<PolledQueuePair> dataQueuePairs = new ArrayList<>();
    private final RpcEndpoint rpc;
    private volatile String failure;
    private boolean isClosed;

    /** Takes charge of a new connection; {@code pollers} are those of its queue pairs, in order. */
    public PeerConnection(Connection connection, List<Poller> pollers, int depth, RpcMethods methods,
            ReceiverDirectory receivers, TensorArena controlArena) {
        this.connection = connection;
        List<QueuePair> queuePairs = connection.queuePairs();
        for (int i = 1; i < queuePairs.size(); i++) {
            dataQueuePairs.add(new PolledQueuePair(pollers.get(i), queuePairs.get(i), depth));
        }
        rpcQueuePair = new PolledQueuePair(pollers.get(0), queuePairs.get(0), depth);
        rpc = new RpcEndpoint(this, rpcQueuePair, methods, controlArena);
        for (PolledQueuePair queuePair : dataQueuePairs) {
            queuePair.poller().submit(() -> {
                queuePair.poller().adopt(queuePair);
                queuePair.receiveInto(new ImmediateArrivals(receivers), null, 0, 0, depth);
            });
        }
        // Last: once the peer is heard, what it asks for goes over the others, which must have their indices by then.
        rpcQueuePair.poller().submit(() -> {
            rpcQueuePair.poller().adopt(rpcQueuePair);
            rpc.start();
        });
    }

    /** Receives that queue pair {@code index} of a connection needs; a power of two. */
    public static int receiveDepth(int index, int depth) {
        return index == 0 ? RpcEndpoint.receiveDepth() : depth;
    }

    public Connection connection() {
        return connection;
    }

    public String name() {
        return connection.peerName();
    }

    public int dataQueuePairCount() {
        return dataQueuePairs.size();
    }

    PolledQueuePair dataQueuePair(int index) {
        return dataQueuePairs.get(index);
    }

    /** Why nothing more can be sent or will arrive; null while all is well. */
    public String failure() {
        return failure;
    }

    /** The connection is lost: calls in progress fail now, transfers through their completions. */
    public void fail(String cause) {
        failure = cause;
        rpcQueuePair.poller().submit(() -> rpc.fail(cause));
    }

    /** Tells the peer why this side gives up, and ends everything outstanding. */
    public void abort(String cause) {
        fail("given up by this side: " + cause);
        connection.abort(cause);
        rpcQueuePair.poller().submit(() -> rpcQueuePair.abandon(failure));
        for (PolledQueuePair queuePair : dataQueuePairs) {
            queuePair.poller().submit(() -> queuePair.abandon(failure));
        }
    }

    /** Calls a method of the peer and waits for the answer. */
    public byte[] call(String method, byte[] request, Duration timeout) {
        if (failure != null) {
            throw new TransferException("call failed: method=" + method + " " + failure);
        }
        try {
            return rpc.call(method, request).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new TransferException(e.getCause().getMessage(), e.getCause());
        } catch (TimeoutException e) {
            throw new TransferException("no answer: peer=" + name() + " method=" + method + " timeout=" + timeout, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TransferException("interrupted: peer=" + name() + " method=" + method, e);
        }
    }

    /** After a loss: gives everything back as soon as what was outstanding has ended, then runs the command. */
    public void retire(Runnable onClosed) {
        List<PolledQueuePair> queuePairs = new ArrayList<>(dataQueuePairs);
        queuePairs.add(rpcQueuePair);
        AtomicInteger busy = new AtomicInteger(queuePairs.size());
        // On a thread of its own: ending a connection waits for all of its pollers.
        Runnable end = () -> Thread.ofVirtual().start(() -> {
            close();
            queuePairs.forEach(queuePair -> queuePair.poller().submit(() -> queuePair.poller().release(queuePair)));
            onClosed.run();
        });
        for (PolledQueuePair queuePair : queuePairs) {
            queuePair.poller().submit(() -> queuePair.whenIdle(() -> {
                if (busy.decrementAndGet() == 0) {
                    end.run();
                }
            }));
        }
    }

    /** Ends it, when no poller has anything outstanding on it or all have stopped. Idempotent. */
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            rpc.fail("the connection was closed");
            connection.close();
            rpc.close();
        }
    }

    private record ImmediateArrivals(ReceiverDirectory receivers) implements PolledQueuePair.ReceiveListener {
        @Override
        public void onReceive(int receiveIndex, Completion completion) {
            receivers.onImmediate(completion.immediate);
        }

        @Override
        public void onReceiveFailed(String failure) {
            // Receivers learn it from the connection's failure.
        }
    }
}
