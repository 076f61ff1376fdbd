package dev.verbena.cli.perf;

import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/**
 * The devices of both sides, and words between them by the device's own small RPC. Waiting for words sleeps.
 *
 * <p>Threading: confined to the command's thread; words arrive on the device's.
 */
final class TensorLink implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final String TELL = "perf.tell";
    private static final byte[] HEARD = {};

    /** What the peer said, or why it says no more. */
    private record Heard(long[] words, String lost) {}

    private final RdmaDevice device;
    private final Endpoint peer;
    private final BlockingQueue<Heard> inbox = new LinkedBlockingQueue<>();

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
        device.onPeerLost(cause -> inbox.add(new Heard(null, cause)));
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

    long[] await() {
        try {
            Heard heard = inbox.take();
            if (heard.lost() != null) {
                throw new FailedRunException(heard.lost());
            }
            return heard.words();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted while waiting for the peer");
        }
    }

    @Override
    public void close() {
        device.close();
    }
}
