package dev.verbena.testing.program;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.ExchangeOptions;
import dev.verbena.transfer.ExchangeSender;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.SendCallback;
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
    private static final int EAGER_BYTE_SIZE_MAX = 64;
    private static final long PATIENCE_NS = 20_000_000_000L;
    private static final long LOOK_NS = 1_000_000;

    private final World world;
    private final Stream stream;
    private final Host host;
    private final Consumer<TransferException> onFailure;
    /** How often each offer's callback was called. */
    private final AtomicIntegerArray callbacks = new AtomicIntegerArray(TENSORS_MAX);
    /** One of them is there when it is made; none where that failed. */
    private TensorSender sender;
    private DynamicTensorSender dynamicSender;
    /** In the receiver's slot, and not offered yet; null if there is none. */
    private Tensor placed;
    private ExchangeSender exchangeSender;
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
        RdmaChannel channel = host.device().channel(remote, stream.id() % 2);
        switch (stream.protocol()) {
            case STATIC ->
                sender = channel.sender(stream.name(), ElementType.INT64, stream.shape(), timeout);
            case DYNAMIC -> dynamicSender = channel.dynamicSender(stream.name(), timeout);
            case EXCHANGE -> exchangeSender = channel.exchangeSender(stream.name(), ExchangeOptions.defaults()
                    .withEagerByteSizeMax(stream.depth() % 2 == 0 ? EAGER_BYTE_SIZE_MAX : ExchangeOptions.MEASURED),
                    timeout);
        }
    }

    /** Offers the next one, if it may and there is room. */
    public void offer() {
        if (!isConnected() || isClosed || failure != null || offered == TENSORS_MAX
                || stream.protocol() == Stream.Protocol.EXCHANGE && offered - ended() > stream.depth()) {
            return;
        }
        if (placed != null) {
            offerPlaced();
            return;
        }
        if (stream.protocol() == Stream.Protocol.STATIC && world.random().nextInt(4) == 0) {
            place();
            return;
        }
        if (stream.isDead(offered)) {
            offerDead();
            return;
        }
        boolean isView = stream.protocol() == Stream.Protocol.STATIC && world.random().nextInt(4) == 0
                && stream.shape().dimension(0) < host.device().capabilities().elementCountMax();
        boolean isCopied = !isView && world.random().nextInt(8) == 0;
        Tensor tensor = host.arena().tryAllocate(ElementType.INT64,
                isView ? Shape.of(stream.shape().dimension(0), 2 * stream.width()) : stream.shape(offered));
        if (tensor == null) {
            return;
        }
        int sequence = offered++;
        SendResult result = SendResult.BACK_PRESSURED;
        // Pinned as long as it is sent: the arena must not give its memory to the next before.
        try (tensor) {
            stream.fill(tensor, sequence);
            result = isView ? offerView(tensor, sequence) : offer(tensor, isCopied, sequence);
        } catch (TransferException e) {
            fail(e);
        }
        if (result == SendResult.BACK_PRESSURED) {
            offered--;
        }
    }

    private void offerDead() {
        int sequence = offered++;
        SendResult result = SendResult.BACK_PRESSURED;
        try {
            result = dynamicSender.offerDead(failed -> onEnd(sequence, failed));
        } catch (TransferException e) {
            fail(e);
        }
        if (result == SendResult.BACK_PRESSURED) {
            offered--;
        }
    }

    /** Now and then its content comes only at the next turn. */
    private void place() {
        try {
            placed = sender.place(host.arena());
        } catch (TransferException e) {
            fail(e);
        }
        if (placed != null && world.random().nextInt(3) > 0) {
            offerPlaced();
        }
    }

    private void offerPlaced() {
        int sequence = offered++;
        try (Tensor tensor = placed) {
            placed = null;
            stream.fill(tensor, sequence);
            if (sender.offer(tensor, failed -> onEnd(sequence, failed)) == SendResult.BACK_PRESSURED) {
                world.violate(this + " has no slot for what was placed: tensor " + sequence);
            }
        } catch (TransferException e) {
            offered--;
            fail(e);
        }
    }

    /** Closes what was placed and will not be offered. */
    public void dropPlaced() {
        if (placed != null) {
            placed.close();
            placed = null;
        }
    }

    private SendResult offerView(Tensor tensor, int sequence) {
        try (TensorView view = TensorView.of(tensor, tensor.layout().narrowed(1, 0, stream.width()))) {
            return sender.offer(view, failed -> onEnd(sequence, failed));
        }
    }

    private SendResult offer(Tensor tensor, boolean isCopied, int sequence) {
        SendCallback callback = failed -> onEnd(sequence, failed);
        return switch (stream.protocol()) {
            case STATIC -> isCopied ? sender.offerCopy(tensor, host.arena(), callback) : sender.offer(tensor, callback);
            case DYNAMIC -> isCopied ? dynamicSender.offerCopy(tensor, host.arena(), callback)
                    : dynamicSender.offer(tensor, callback);
            case EXCHANGE -> exchangeSender.offer(stream.name(), sequence, tensor, callback);
        };
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
        if (!isConnected() || isClosed) {
            return;
        }
        if (failure != null) {
            dropPlaced();
            return;
        }
        try {
            switch (stream.protocol()) {
                case STATIC -> sender.isReady();
                case DYNAMIC -> dynamicSender.isReady();
                case EXCHANGE -> exchangeSender.isReady();
            }
        } catch (TransferException e) {
            fail(e);
        }
    }

    /** Waits until what was offered has left. */
    public void close() {
        if (!isConnected() || isClosed) {
            return;
        }
        if (stream.protocol() == Stream.Protocol.EXCHANGE) {
            awaitEnds();
        }
        isClosed = true;
        dropPlaced();
        switch (stream.protocol()) {
            case STATIC -> sender.close();
            case DYNAMIC -> dynamicSender.close();
            case EXCHANGE -> exchangeSender.close();
        }
    }

    /** What was not asked for by its end would not arrive. */
    private void awaitEnds() {
        for (long startNs = world.nowNs(); ended() < offered && failure == null
                && world.nowNs() - startNs < PATIENCE_NS;) {
            host.device().awaitActivity(host.device().activity(), LOOK_NS);
            look();
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
        return sender != null || dynamicSender != null || exchangeSender != null;
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
