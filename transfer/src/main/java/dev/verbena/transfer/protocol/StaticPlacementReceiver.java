package dev.verbena.transfer.protocol;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * Receiving end of static placement (EuroSys'19 §3.2): slots allocated once, tensors seen in order, each acknowledged when its
 * consumer closes it. Layout: {@link SlotLayout}.
 *
 * <p>Always: {@code acknowledged <= received <= acknowledged + depth}.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.TensorReceiver}. <b>Threading:</b> {@link #poll} by one thread at a time; the
 * tensors may be closed by any; {@link #connect}, {@link #onArrival} and the acknowledgements run while driving.
 */
public final class StaticPlacementReceiver {
    private final Engines engines;
    private final ReceiverDirectory directory;
    private final String name;
    private final int id;
    private final ElementType type;
    private final Shape shape;
    private final SlotLayout layout;
    private final boolean tail;
    private final Tensor buffer;
    private final MemoryRegion region;

    private final AtomicLong arrivals = new AtomicLong();
    private final AtomicLongArray consumed;
    private final AtomicBoolean acknowledgementScheduled = new AtomicBoolean();
    private final Runnable acknowledgementCommand = this::acknowledge;
    private final Acknowledgement acknowledgement = new Acknowledgement();

    private volatile PlacementState state = PlacementState.AWAITING_SENDER;
    private volatile PeerConnection peer;
    private volatile EngineQueuePair acknowledgementQueuePair;
    private long acknowledgementAddress;
    private int acknowledgementRkey;
    /** Written by the polling thread. */
    private long received;
    /** Written while driving, as are the next two. */
    private long acknowledged;
    /** No acknowledgement is written any more. */
    private boolean isFinished;
    /** And none is on its way. */
    private volatile boolean isQuiet;

    /** Allocates the slots in the arena, whose slabs must be registered with the device. */
    public StaticPlacementReceiver(Engines engines, ReceiverDirectory directory, String name, TensorArena arena,
            ElementType type, Shape shape, int depth, boolean tail) {
        this.engines = engines;
        this.directory = directory;
        this.name = name;
        this.id = directory.nextId();
        this.type = type;
        this.shape = shape;
        this.layout = new SlotLayout(shape.byteSize(type), depth);
        this.tail = tail;
        this.consumed = new AtomicLongArray(depth);
        this.buffer = arena.allocate(ElementType.UINT8, Shape.of(layout.totalByteSize()));
        if (!(buffer.slab() instanceof MemoryRegion registered)) {
            buffer.close();
            throw new IllegalArgumentException(
                    "receiver '" + name + "': the arena's memory is not registered; create it over "
                            + "device.slabSource()");
        }
        this.region = registered;
        for (int slot = 0; slot < depth; slot++) {
            Words.setRelease(buffer.memory(), layout.slotOffset(slot) + layout.tailOffset(), 0);
        }
    }

    String name() {
        return name;
    }

    int id() {
        return id;
    }

    /** Whether arrival is seen in the tail's sequence word. */
    public boolean tail() {
        return tail;
    }

    /** The next tensor in order, or null if it has not arrived. */
    public Tensor poll() {
        if (state == PlacementState.CLOSED) {
            throw new IllegalStateException("receiver '" + name + "' is closed");
        }
        PeerConnection sender = peer;
        String failure = sender == null ? null : sender.failure();
        long sequence = received;
        if (!hasArrived(sequence) && !(engines.progress() > 0 && hasArrived(sequence))) {
            if (failure != null) {
                fail();
                throw new TransferException("receiver '" + name + "': " + failure);
            }
            return null;
        }
        received = sequence + 1;
        TensorLease lease = TensorLease.of(buffer);
        return Tensor.over(region, buffer.slabOffset() + layout.slotOffset(sequence), type, shape,
                () -> onConsumed(sequence, lease));
    }

    /** Who sends here, for messages. */
    public String senderName() {
        PeerConnection sender = peer;
        return sender == null ? "a sender that has not connected yet" : sender.name();
    }

    /** A sender asks for the slots. While driving. */
    synchronized PlacementAnswer connect(PeerConnection sender, PlacementRequest request) {
        if (!type.equals(request.type()) || !shape.equals(request.shape())) {
            throw new TransferException("receiver '" + name + "' takes " + type + shape + ", not " + request.type()
                    + request.shape());
        }
        if (!state.allows(PlacementState.OPEN)) {
            throw new TransferException("receiver '" + name + "' already has a sender: " + senderName());
        }
        acknowledgementQueuePair = sender.dataQueuePair(request.queuePairIndex());
        acknowledgementAddress = request.acknowledgementAddress();
        acknowledgementRkey = request.acknowledgementRkey();
        peer = sender;
        state = PlacementState.OPEN;
        return new PlacementAnswer(true, tail, id, layout.depth(), region.address() + buffer.slabOffset(),
                region.rkey());
    }

    /** A write with immediate arrived, in order. While driving. */
    void onArrival() {
        arrivals.setRelease(arrivals.getPlain() + 1);
    }

    /**
     * Nothing may arrive any more: the peers have stopped or the device is closed. Tensors already polled stay valid. Waits until the
     * last acknowledgement is out, so that the slots are free when it returns.
     */
    public void close() {
        synchronized (this) {
            if (state == PlacementState.CLOSED) {
                return;
            }
            state = PlacementState.CLOSED;
        }
        directory.remove(this);
        EngineQueuePair queuePair = acknowledgementQueuePair;
        if (queuePair != null) {
            queuePair.engine().execute(this::finish);
            engines.awaitUninterruptibly(() -> isQuiet, StaticPlacementSender.CLOSE_NS);
        }
        buffer.close();
    }

    private boolean hasArrived(long sequence) {
        if (tail) {
            return Words.getAcquire(buffer.memory(), layout.slotOffset(sequence) + layout.tailOffset()) == sequence + 1;
        }
        return arrivals.getAcquire() > sequence;
    }

    private synchronized void fail() {
        if (state.allows(PlacementState.FAILED)) {
            state = PlacementState.FAILED;
        }
    }

    private void onConsumed(long sequence, TensorLease lease) {
        lease.close();
        consumed.setRelease((int) (sequence % layout.depth()), sequence + 1);
        if (acknowledgementScheduled.compareAndSet(false, true)) {
            acknowledgementQueuePair.engine().execute(acknowledgementCommand);
        }
    }

    /** While driving: tells the sender of all slots that were consumed without a gap, one write at a time. */
    private void acknowledge() {
        if (isFinished) {
            return;
        }
        acknowledgementScheduled.set(false);
        long next = acknowledged;
        while (consumed.getAcquire((int) (next % layout.depth())) == next + 1) {
            next++;
        }
        acknowledged = next;
        if (next > acknowledgement.value && !acknowledgement.inFlight && peer.failure() == null) {
            acknowledgement.write(next);
        }
    }

    /** While driving: the last acknowledgement, if one is due. */
    private void finish() {
        acknowledge();
        isFinished = true;
        isQuiet = !acknowledgement.inFlight;
    }

    /** Writes the number of tensors consumed into the sender's memory. */
    private final class Acknowledgement extends Request {
        private final TensorLease lease = new TensorLease();
        private long value;
        private boolean inFlight;

        Acknowledgement() {
            super(1);
        }

        void write(long count) {
            value = count;
            inFlight = true;
            lease.pin(buffer);
            Words.setRelease(buffer.memory(), layout.acknowledgementOffset(), count);
            workRequest.reset(0, Opcode.WRITE)
                    .element(region, buffer.slabOffset() + layout.acknowledgementOffset(), SlotLayout.WORD)
                    .remote(acknowledgementAddress, acknowledgementRkey);
            acknowledgementQueuePair.submit(this);
        }

        @Override
        protected void onDone(String failure) {
            inFlight = false;
            lease.close();
            if (isFinished) {
                isQuiet = true;
            } else if (failure == null) {
                acknowledge();
            }
        }
    }
}
