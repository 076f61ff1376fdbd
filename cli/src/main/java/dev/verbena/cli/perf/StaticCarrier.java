package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * Static placement.
 *
 * <p>Owner: {@link TensorEnds}. Threading: confined to the command's thread.
 */
final class StaticCarrier implements TensorCarrier {
    private final TensorLink link;
    private final String name;
    private final Shape shape;
    private final TensorSources sources;
    private final TensorReceiver receiver;
    private final TensorLease arrived = new TensorLease();
    private TensorSender sender;

    StaticCarrier(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere) {
        this.link = link;
        this.name = name;
        shape = Shape.of(byteSize);
        sources = new TensorSources(link.device().slabSource(), byteSize, slotsThere,
                RdmaDevice.receiverBufferByteSize(ElementType.UINT8, shape, slotsHere));
        receiver = link.device().receiver(name, sources.arena(), ElementType.UINT8, shape, slotsHere);
    }

    @Override
    public void connect() {
        sender = link.device().channel(link.peer(), 0).sender(name, ElementType.UINT8, shape, TensorLink.TIMEOUT);
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
        return shape.elementCount();
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
