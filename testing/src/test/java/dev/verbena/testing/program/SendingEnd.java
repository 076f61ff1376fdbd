package dev.verbena.testing.program;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * Offers the tensors of a stream, and keeps what it is told of each: every offer ends, once.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> the program's thread; callbacks come on any.
 */
public final class SendingEnd {
    public static final int TENSORS_MAX = 200;

    private final World world;
    private final Stream stream;
    private final Host host;
    private final Consumer<TransferException> onFailure;
    /** How often each offer's callback was called. */
    private final AtomicIntegerArray callbacks = new AtomicIntegerArray(TENSORS_MAX);
    /** Null before it is made, and where that failed. */
    private TensorSender sender;
    private int offered;
    private volatile String failure;
    private boolean isClosed;

    /** Nothing is made before {@link #connect}; {@code onFailure} hears of each failure, on any thread. */
    public SendingEnd(World world, Stream stream, Host host, Consumer<TransferException> onFailure) {
        this.world = world;
        this.stream = stream;
        this.host = host;
        this.onFailure = onFailure;
    }

    /** Waits for the placement. */
    public void connect(Endpoint remote, Duration timeout) {
        sender = host.device().channel(remote, stream.id() % 2).sender(stream.name(), ElementType.INT64,
                stream.shape(), timeout);
    }

    /** Offers the next one, if it may and there is room. */
    public void offer() {
        if (sender == null || isClosed || failure != null || offered == TENSORS_MAX) {
            return;
        }
        boolean isView = world.random().nextInt(4) == 0
                && stream.shape().dimension(0) < host.device().capabilities().elementCountMax();
        boolean isCopied = !isView && world.random().nextInt(8) == 0;
        Tensor tensor = host.arena().tryAllocate(ElementType.INT64,
                isView ? Shape.of(stream.shape().dimension(0), 2 * stream.width()) : stream.shape());
        if (tensor == null) {
            return;
        }
        int sequence = offered++;
        SendResult result = SendResult.BACK_PRESSURED;
        // Pinned as long as it is sent: the arena must not give its memory to the next before.
        try (tensor; TensorView view = TensorView.of(tensor, tensor.layout().narrowed(1, 0, stream.width()))) {
            stream.fill(tensor, sequence);
            result = isView ? sender.offer(view, failed -> onEnd(sequence, failed))
                    : isCopied ? sender.offerCopy(tensor, host.arena(), failed -> onEnd(sequence, failed))
                            : sender.offer(tensor, failed -> onEnd(sequence, failed));
        } catch (TransferException e) {
            fail(e);
        }
        if (result == SendResult.BACK_PRESSURED) {
            offered--;
        }
    }

    private void onEnd(int sequence, TransferException failed) {
        if (callbacks.incrementAndGet(sequence) > 1) {
            world.violate(this + " heard twice of tensor " + sequence);
        }
        if (failed != null) {
            fail(failed);
        }
    }

    /** It was not made, or does not go on. */
    public void fail(TransferException e) {
        failure = e.getMessage();
        onFailure.accept(e);
    }

    /** Notices what has failed meanwhile. */
    public void look() {
        if (sender == null || isClosed || failure != null) {
            return;
        }
        try {
            sender.isReady();
        } catch (TransferException e) {
            fail(e);
        }
    }

    /** Waits until what was offered has left. */
    public void close() {
        if (sender != null && !isClosed) {
            isClosed = true;
            sender.close();
        }
    }

    /** After its end: each offer has ended. */
    public void checkCallbacks() {
        for (int i = 0; i < offered; i++) {
            if (callbacks.get(i) != 1) {
                world.violate(this + " heard of tensor " + i + " times=" + callbacks.get(i));
            }
        }
    }

    public boolean isConnected() {
        return sender != null;
    }

    public boolean isClosed() {
        return isClosed;
    }

    public int offered() {
        return offered;
    }

    /** Offers of which it has heard. */
    public int ended() {
        int ended = 0;
        for (int i = 0; i < offered; i++) {
            ended += callbacks.get(i) > 0 ? 1 : 0;
        }
        return ended;
    }

    /** Null while all is well. */
    public String failure() {
        return failure;
    }

    @Override
    public String toString() {
        return stream.name() + " from " + host;
    }
}
