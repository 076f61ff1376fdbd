package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.ChunkHandler;
import dev.verbena.transfer.ExchangeOptions;
import dev.verbena.transfer.ExchangeReceiver;
import dev.verbena.transfer.ExchangeRequest;
import dev.verbena.transfer.ExchangeSender;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.TransferException;

/**
 * Exchange by name and step: each tensor is one step further, and the receiver asks for as many ahead as may be under way.
 *
 * <p>Owner: {@link TensorEnds}. Threading: confined to the command's thread; tensors end on any.
 */
final class ExchangeCarrier implements TensorCarrier {
    private static final String TENSOR_NAME = "x";
    /** More than a message's slot, and the words beside it. */
    private static final long MESSAGE_BYTE_SIZE = 3 * ExchangeOptions.EAGER_BYTE_SIZE_MAX;
    private static final long WORDS_BYTE_SIZE = 1 << 16;

    /** One of the tensors that are sent in turn. */
    private static final class Source implements SendCallback {
        private final AtomicBoolean isBusy = new AtomicBoolean();
        /** Of the one before; written before it is not busy any more. */
        private TransferException failure;

        @Override
        public void onComplete(TransferException cause) {
            failure = cause;
            isBusy.setRelease(false);
        }
    }

    private final TensorLink link;
    private final String name;
    private final ExchangeOptions options;
    private final long byteSize;
    private final TensorSources sources;
    private final Source[] ends;
    private final ExchangeReceiver receiver;
    private final ExchangeRequest[] asked;
    private final boolean isCoalescing;
    private ExchangeSender sender;
    private boolean isHolding;
    private long offered;
    private long askedFor;
    private long received;
    private final TensorLease arrived = new TensorLease();
    /** Null for what comes in one piece. */
    private final ChunkHandler onChunk;
    private volatile long firstNs;

    private ExchangeCarrier(ExchangeOptions options, boolean isCoalescing, TensorLink link, String name, long byteSize,
            int slotsHere, int slotsThere) {
        this.link = link;
        this.isCoalescing = isCoalescing;
        this.name = name;
        this.byteSize = byteSize;
        this.options = options;
        long[] received = new long[2 * slotsHere + 2];
        Arrays.fill(received, byteSize);
        received[2 * slotsHere + 1] = MESSAGE_BYTE_SIZE * (slotsHere + 1) + WORDS_BYTE_SIZE;
        sources = new TensorSources(link.device().readableSlabSource(), byteSize, slotsThere, received);
        ends = new Source[slotsThere];
        Arrays.setAll(ends, i -> new Source());
        receiver = link.device().exchangeReceiver(name, sources.arena(),
                Math.min(slotsHere, ExchangeOptions.defaults().depth()));
        asked = new ExchangeRequest[slotsHere];
        onChunk = byteSize <= ExchangeOptions.EAGER_BYTE_SIZE_MAX ? null : (_, _, byteOffset, _) -> {
            if (byteOffset == 0) {
                firstNs = System.nanoTime();
            }
        };
    }

    static TensorProtocol.Opening opening(ExchangeOptions options, boolean isCoalescing) {
        return (link, name, byteSize, slotsHere, slotsThere) -> new ExchangeCarrier(options, isCoalescing, link, name,
                byteSize, slotsHere, slotsThere);
    }

    @Override
    public void connect() {
        sender = link.device().channel(link.peer(), 0).exchangeSender(name, options, TensorLink.TIMEOUT);
    }

    @Override
    public boolean isReady() {
        Source next = ends[(int) (offered % ends.length)];
        if (next.isBusy.getAcquire()) {
            // If not all wait, the next one to end is in a message that is under way.
            if (isHolding && sender.waitingCount() == ends.length) {
                sender.flush();
                sender.hold();
            }
            sender.isReady();
        }
        if (next.isBusy.getAcquire()) {
            return false;
        }
        if (next.failure != null) {
            throw new FailedRunException(next.failure.getMessage());
        }
        return true;
    }

    @Override
    public MemorySegment next() {
        return sources.next();
    }

    @Override
    public void offer() {
        Source next = ends[(int) (offered % ends.length)];
        next.isBusy.setRelease(true);
        TensorSources.requireSent(sender.offer(TENSOR_NAME, offered++, sources.take(), next));
    }

    @Override
    public void hold() {
        isHolding = isCoalescing;
        if (isHolding) {
            sender.hold();
        }
    }

    @Override
    public void flush() {
        isHolding = false;
        sender.flush();
    }

    @Override
    public MemorySegment await(Duration timeout) {
        while (askedFor < received + asked.length) {
            ask((int) (askedFor % asked.length), askedFor);
            askedFor++;
        }
        ExchangeRequest next = asked[(int) (received % asked.length)];
        if (!next.await(timeout)) {
            return null;
        }
        next.take(arrived);
        received++;
        return arrived.memory();
    }

    private void ask(int index, long step) {
        if (asked[index] == null) {
            asked[index] = receiver.receive(TENSOR_NAME, step, onChunk);
        } else {
            asked[index].ask(TENSOR_NAME, step);
        }
    }

    @Override
    public long firstNs() {
        return firstNs;
    }

    @Override
    public void release() {
        arrived.close();
    }

    @Override
    public List<MemorySegment> memories() {
        return sources.memories();
    }

    /** A large one is read; of a small one the copy into its message is staging. */
    @Override
    public long fabricByteSize() {
        return byteSize;
    }

    @Override
    public void close() {
        if (sender != null) {
            sender.close();
        }
        receiver.close();
        sources.close();
    }
}
