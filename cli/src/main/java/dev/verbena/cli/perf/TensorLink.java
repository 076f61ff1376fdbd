package dev.verbena.cli.perf;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * The devices of both sides, and words between them by the device's own small RPC. Who waits for words moves the device's transfers
 * on meanwhile, if its callers are to do that.
 *
 * <p>Threading: confined to the command's thread; words arrive on whatever thread drives the device.
 */
final class TensorLink implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long WAIT_NS = Duration.ofSeconds(1).toNanos();
    private static final String TELL = "perf.tell";
    private static final byte[] HEARD = {};

    /** What the peer said, or why it says no more. */
    private record Heard(long[] words, String lost) {}

    private final RdmaDevice device;
    private final Endpoint peer;
    private final Queue<Heard> inbox = new ConcurrentLinkedQueue<>();

    /** Takes the device over. */
    TensorLink(RdmaDevice device, Endpoint peer) {
        this.device = device;
        this.peer = peer;
        device.handle(TELL, (_, request) -> {
            LongBuffer words = ByteBuffer.wrap(request).asLongBuffer();
            long[] copy = new long[words.remaining()];
            words.get(copy);
            inbox.add(new Heard(copy, null));
            return HEARD;
        });
        device.onPeerLost(cause -> {
            inbox.add(new Heard(null, cause));
            device.wakeUp();
        });
    }

    RdmaDevice device() {
        return device;
    }

    Endpoint peer() {
        return peer;
    }

    /** Returns when the peer has it. */
    void tell(long... words) {
        ByteBuffer request = ByteBuffer.allocate(words.length * Long.BYTES);
        request.asLongBuffer().put(words);
        device.call(peer, TELL, request.array(), TIMEOUT);
    }

    /** Likewise, what the peer goes upon: it may have gone before its answer has left. */
    void tellLast(long... words) {
        try {
            tell(words);
        } catch (TransferException e) {
            // Nothing is left to ask of it. What has failed there, it says itself.
        }
    }

    long[] await() {
        long seen = device.activity();
        Heard heard = inbox.poll();
        while (heard == null) {
            if (Thread.currentThread().isInterrupted()) {
                throw new FailedRunException("interrupted while waiting for the peer");
            }
            device.awaitActivity(seen, WAIT_NS);
            seen = device.activity();
            heard = inbox.poll();
        }
        if (heard.lost() != null) {
            throw new FailedRunException(heard.lost());
        }
        return heard.words();
    }

    @Override
    public void close() {
        device.close();
    }
}
