package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * Destination placement: tensors are written where they are received.
 *
 * <p>Owner: {@link TensorEnds}. Threading: confined to the command's thread.
 */
final class PlacedCarrier implements TensorCarrier {
    private static final int COPIED_BETWEEN = 2;

    private final TensorLink link;
    private final String name;
    private final Shape shape;
    /** To copy between. */
    private final TensorSources sources;
    private final TensorReceiver receiver;
    private final TensorLease arrived = new TensorLease();
    private final TensorLease next = new TensorLease();
    private boolean isPlaced;
    private TensorSender sender;

    /** @throws FailedRunException if the fabric does not map the peer's memory */
    PlacedCarrier(TensorLink link, String name, long byteSize, int slotsHere, int slotsThere) {
        if (!link.device().capabilities().mapsPeerMemory()) {
            throw new FailedRunException("--protocol=placed: fabric " + link.device().fabricName()
                    + " does not map the peer's memory; use --fabric=shm, or another protocol");
        }
        this.link = link;
        this.name = name;
        shape = Shape.of(byteSize);
        sources = new TensorSources(link.device().slabSource(), byteSize, COPIED_BETWEEN,
                RdmaDevice.receiverBufferByteSize(ElementType.UINT8, shape, slotsHere));
        receiver = link.device().receiver(name, sources.arena(), ElementType.UINT8, shape, slotsHere);
    }

    @Override
    public void connect() {
        sender = link.device().channel(link.peer(), 0).sender(name, ElementType.UINT8, shape, TensorLink.TIMEOUT);
    }

    @Override
    public boolean isReady() {
        isPlaced = isPlaced || sender.place(next);
        return isPlaced;
    }

    @Override
    public MemorySegment next() {
        return next.memory();
    }

    @Override
    public void offer() {
        TensorSources.requireSent(sender.offer(next, null));
        next.close();
        isPlaced = false;
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
        return 0;
    }

    @Override
    public void close() {
        next.release();
        if (sender != null) {
            sender.close();
        }
        receiver.close();
        sources.close();
    }
}
