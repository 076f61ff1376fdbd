package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.RdmaDevice;

/**
 * Dynamic allocation. The receiver has memory for as many tensors as may be under way, and the one that is being looked at.
 *
 * <p>Owner: {@link TensorEnds}. Threading: confined to the command's thread.
 */
final class DynamicCarrier implements TensorCarrier {
    private final TensorLink link;
    private final String name;
    private final long byteSize;
    private final TensorSources sources;
    private final DynamicTensorReceiver receiver;
    private final TensorLease arrived = new TensorLease();
    private DynamicTensorSender sender;

    DynamicCarrier(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere) {
        this.link = link;
        this.name = name;
        this.byteSize = byteSize;
        long[] received = new long[slotsHere + 2];
        Arrays.fill(received, byteSize);
        received[slotsHere + 1] = RdmaDevice.dynamicReceiverBufferByteSize(slotsHere);
        sources = new TensorSources(link.device().readableSlabSource(), byteSize, slotsThere, received);
        receiver = link.device().dynamicReceiver(name, sources.arena(), slotsHere);
    }

    @Override
    public void connect() {
        sender = link.device().channel(link.peer(), 0).dynamicSender(name, TensorLink.TIMEOUT);
    }

    @Override
    public boolean isReady() {
        return sender.isReady();
    }

    @Override
    public MemorySegment next() {
        return sources.next();
    }

    @Override
    public void offer() {
        TensorSources.requireSent(sender.offer(sources.take(), null));
    }

    @Override
    public MemorySegment await(Duration timeout) {
        return receiver.poll(arrived, timeout) ? arrived.memory() : null;
    }

    @Override
    public void release() {
        arrived.close();
    }

    @Override
    public List<MemorySegment> memories() {
        return sources.memories();
    }

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
