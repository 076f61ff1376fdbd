package dev.verbena.transfer.protocol;

import java.util.concurrent.TimeUnit;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.Opcode;

/**
 * Receiving end of dynamic allocation (EuroSys'19 §3.3): of each {@link DynamicRecord} that arrives, whoever drives allocates the tensor and
 * reads it from the sender's memory, ahead of those who poll; acknowledging the record releases the sender's tensor.
 *
 * <p>As many are read ahead as records have slots, and as many again for a sender that closes, which waits until all is read.
 * Always: {@code delivered <= fetched <= delivered + ring}.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.DynamicTensorReceiver}. <b>Threading:</b> {@link #poll} by one thread at a time; the
 * rest while driving.
 */
public final class DynamicAllocationReceiver implements StaticPlacementReceiver.Overlay {
    /** Type and shape of a record, to be placed. */
    static final ElementType RECORD_TYPE = ElementType.INT64;
    static final Shape RECORD_SHAPE = Shape.of(DynamicRecord.BYTE_SIZE / Long.BYTES);

    /** For reads that are flushed at the latest by then; a connection that has failed takes no longer. */
    private static final long READS_NS = 30_000_000_000L;

    /** What becomes of a tensor between its record and who polls. */
    private enum State {
        /** Nothing here. */
        EMPTY,
        /** The record is here, memory for the tensor is not. */
        AWAITING_MEMORY,
        /** It is being read. */
        READING,
        /** It is whole, for who polls. */
        ARRIVED,
        /** It could not be read, with the connection. */
        FAILED
    }

    private final StaticPlacementReceiver records;
    private final LandingPlaces places;
    private final long messageByteSizeMax;
    private final Engines engines;
    private final Fetch[] ring;

    /** While driving: whom tensors are read from. */
    private volatile EngineQueuePair queuePair;
    /** Senders so far. */
    private int senders;
    private long fetched;
    private volatile int reading;
    private volatile boolean isSenderClosing;
    /** Written by the polling thread. */
    private volatile long delivered;
    /** Something is to be fetched that waits for memory, or for who polls. */
    private volatile boolean isHeldUp;
    private volatile boolean isClosed;
    private final Runnable fetch = this::fetch;
    private final TransferCounters counters;

    private DynamicAllocationReceiver(StaticPlacementReceiver records, Engines engines, TensorArena arena,
            long messageByteSizeMax, TransferCounters counters) {
        this.records = records;
        this.counters = counters;
        this.engines = engines;
        places = new LandingPlaces(arena);
        this.messageByteSizeMax = messageByteSizeMax;
        ring = new Fetch[2 * records.depth()];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Fetch();
        }
        records.carry(this);
    }

    /**
     * With slots for {@code depth} records in the arena, whose slabs must be registered with the device; makes it findable.
     *
     * @see dev.verbena.transfer.RdmaDevice#dynamicReceiver
     */
    public static DynamicAllocationReceiver create(Engines engines, ReceiverDirectory directory, String name,
            TensorArena arena, int depth, ArrivalChoice choice, long messageByteSizeMax, TransferCounters counters) {
        // The tensors count, not their records.
        StaticPlacementReceiver records = new StaticPlacementReceiver(engines, directory, name, arena, RECORD_TYPE,
                RECORD_SHAPE, depth, choice, new TransferCounters());
        DynamicAllocationReceiver receiver = new DynamicAllocationReceiver(records, engines, arena, messageByteSizeMax,
                counters);
        try {
            directory.announce(records);
        } catch (IllegalArgumentException e) {
            records.close();
            throw e;
        }
        return receiver;
    }

    private Fetch at(long sequence) {
        return ring[(int) (sequence % ring.length)];
    }

    /** The next tensor in order, or null if it is not here yet. */
    public Tensor poll() {
        Fetch next = nextArrived();
        return next == null ? null : next.deliver();
    }

    /** Lends the next tensor in order to a lease that holds none. @return false if it is not here yet */
    public boolean poll(TensorLease lease) {
        Fetch next = nextArrived();
        if (next == null) {
            return false;
        }
        next.lend(lease);
        return true;
    }

    /** @return null if it is not here yet */
    private Fetch nextArrived() {
        if (isClosed) {
            throw new IllegalStateException(records + " is closed");
        }
        PeerConnection sender = records.sender();
        String failure = sender == null ? null : sender.failure();
        Fetch next = at(delivered);
        if (!next.isDone()) {
            engines.progress();
            if (isHeldUp) {
                queuePair.engine().execute(fetch);
            }
        }
        if (next.state == State.FAILED || !next.isDone() && failure != null) {
            throw new TransferException(records + ": " + (next.failure != null ? next.failure : failure));
        }
        return next.isDone() ? next : null;
    }

    /** What the next tensor waits for memory for, in words; null if it does not. */
    public String awaitsMemory() {
        Fetch next = at(delivered);
        return next.state != State.AWAITING_MEMORY ? null
                : records + ": no room for the next tensor, " + next.record.type() + next.record.shape() + " byteSize="
                        + next.record.byteSize() + ", in " + places;
    }

    /** Who sends here, for messages. */
    public String senderName() {
        return records.senderName();
    }

    /** How the arrival of a record is seen; AUTO if it depends on a sender that is not there yet. */
    public ArrivalMode arrivalMode() {
        return records.arrivalMode();
    }

    /** Whether a record may arrive that nothing but memory tells of. */
    public boolean arrivesByWrite() {
        return records.arrivesByWrite();
    }

    /** Waits until nothing is read any more, then tells the sender, and frees what nobody has polled. */
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        engines.waitElsewhereIfDriving(this::takeLeave);
    }

    private void takeLeave() {
        // Who is just fetching has seen then that this is closed.
        engines.awaitTurn(READS_NS);
        if (!engines.awaitUninterruptibly(() -> reading == 0, READS_NS)) {
            records.sender().fail(records + " was closed, and what it reads has not come after "
                    + TimeUnit.NANOSECONDS.toSeconds(READS_NS) + " s");
            engines.awaitUninterruptibly(() -> reading == 0, READS_NS);
        }
        records.close();
        for (Fetch fetch : ring) {
            fetch.clear();
        }
        places.close();
        counters.close();
    }

    // ---- while driving ----

    @Override
    public void onConnected(EngineQueuePair from) {
        isSenderClosing = false;
        counters.onPeer(records.senderName());
        queuePair = from;
        int sender = ++senders;
        Engine engine = from.engine();
        engine.execute(() -> engine.watch(() -> {
            fetch();
            return !isClosed && sender == senders && records.sender() != null;
        }));
    }

    /** What is acknowledged has been read. */
    @Override
    public boolean onSenderClosing(boolean isAllConsumed) {
        if (!isAllConsumed) {
            isSenderClosing = true;
            queuePair.engine().execute(fetch);
        }
        return isAllConsumed;
    }

    @Override
    public PlacementProtocol protocol() {
        return PlacementProtocol.DYNAMIC;
    }

    private void fetch() {
        boolean isMore = true;
        while (isMore && !isClosed && hasRoom()) {
            isMore = at(fetched).start(fetched);
            fetched += isMore ? 1 : 0;
        }
        if (!isMore) {
            isHeldUp = at(fetched).state == State.AWAITING_MEMORY;
        }
    }

    /** Says that it is held up before it looks for the last time: who polls at the same moment has made room, or hears of it. */
    private boolean hasRoom() {
        int ahead = isSenderClosing ? ring.length : ring.length / 2;
        if (fetched - delivered < ahead) {
            return true;
        }
        isHeldUp = true;
        return fetched - delivered < ahead;
    }

    /** Reads one tensor, in as many requests as the device's largest message makes necessary, one after the other. */
    private final class Fetch extends Request {
        private final DynamicRecord record = new DynamicRecord();
        /** Of the slot that the record lies in; giving it up acknowledges it. */
        private final TensorLease slot = new TensorLease();
        private boolean hasSlot;
        private LandingPlaces.Place place;
        private long cursor;
        private String failure;
        private volatile State state = State.EMPTY;

        Fetch() {
            super(1);
        }

        boolean isDone() {
            return state == State.ARRIVED || state == State.FAILED;
        }

        /** @return whether it has begun */
        boolean start(long sequence) {
            if (state == State.EMPTY && !takeRecord(sequence)) {
                return false;
            }
            place = places.tryTake(record.type(), record.shape());
            if (place == null) {
                state = State.AWAITING_MEMORY;
                return false;
            }
            cursor = 0;
            state = State.READING;
            reading++;
            if (record.byteSize() == 0) {
                finish(null);
                engines.announce();
            } else {
                prepareChunk();
                queuePair.submit(this);
            }
            return true;
        }

        private boolean takeRecord(long sequence) {
            if (hasSlot || !records.take(slot)) {
                return false;
            }
            hasSlot = true;
            try {
                record.read(slot.memory(), sequence);
                return true;
            } catch (TransferException e) {
                records.sender().fail(e.getMessage());
                return false;
            }
        }

        private void prepareChunk() {
            long byteSize = Math.min(record.byteSize() - cursor, messageByteSizeMax);
            workRequest.reset(0, Opcode.READ)
                    .element(place.region(), place.regionOffset() + cursor, byteSize)
                    .remote(record.address() + cursor, record.rkey());
            cursor += byteSize;
        }

        @Override
        protected void onDone(String cause) {
            if (cause == null && cursor < record.byteSize()) {
                prepareChunk();
                queuePair.submit(this);
            } else {
                finish(cause);
            }
        }

        private void finish(String cause) {
            if (cause == null) {
                hasSlot = false;
                state = State.ARRIVED;
                slot.close();
            } else {
                failure = cause;
                state = State.FAILED;
            }
            reading--;
        }

        /** On the polling thread, as is the next. */
        Tensor deliver() {
            Tensor arrived = place.give();
            onDelivered();
            return arrived;
        }

        void lend(TensorLease lease) {
            place.lend(lease);
            onDelivered();
        }

        private void onDelivered() {
            counters.onTransfer(record.byteSize());
            place = null;
            state = State.EMPTY;
            delivered++;
        }

        /** Nothing is read any more, and nothing acknowledged. */
        void clear() {
            if (place != null) {
                place.drop();
                place = null;
            }
            slot.release();
        }
    }
}
