package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Stripe;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Receiving end of dynamic allocation (EuroSys'19 §3.3): of each {@link DynamicRecord} that arrives, whoever drives allocates the tensor and
 * reads it from the sender's memory, a large one in stripes over several queue pairs, ahead of those who poll; acknowledging the record releases the
 * sender's tensor.
 *
 * <p>What the sender lends is not read: it is mapped, {@link Borrower}, and its record acknowledged at once.
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

    /**
     * How tensors that are lent are taken.
     *
     * @param isPossible whether the fabric maps memory of peers; where it does not, everything is read
     * @param words where those lie that tell senders what is given back
     */
    public record Borrowing(boolean isPossible, TensorArena words) {}

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
    /** Null if all is to be read. */
    private final Borrowing borrowing;
    /** Of the present sender, or the last; null if that lends nothing. */
    private volatile Borrower borrower;
    private final long messageByteSizeMax;
    private final Striping striping;
    private final Engines engines;
    private final Fetch[] ring;

    /** Over which tensors are read, and the first of which they are at home on; none before there was a sender. */
    private volatile List<EngineQueuePair> queuePairs = List.of();
    /** Senders so far. */
    private int senders;
    private long fetched;
    private boolean isFetching;
    /** Written while driving. */
    private final AtomicInteger reading = new AtomicInteger();
    private volatile boolean isSenderClosing;
    /** Written by the polling thread. */
    private volatile long delivered;
    /** Something is to be fetched that waits for memory, or for who polls. */
    private volatile boolean isHeldUp;
    private volatile boolean isClosed;
    private final Runnable fetch = this::fetch;
    private final TransferCounters counters;

    private DynamicAllocationReceiver(StaticPlacementReceiver records, Engines engines, TensorArena arena,
            long messageByteSizeMax, Striping striping, TransferCounters counters, Borrowing borrowing) {
        this.borrowing = borrowing;
        this.records = records;
        this.counters = counters;
        this.engines = engines;
        places = new LandingPlaces(arena);
        this.messageByteSizeMax = messageByteSizeMax;
        this.striping = striping;
        ring = new Fetch[2 * records.depth()];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Fetch();
        }
        records.carry(this);
    }

    /**
     * With slots for {@code depth} records in the arena, whose slabs must be registered with the device; makes it findable.
     *
     * @param borrowing null if all is to be read
     * @see dev.verbena.transfer.RdmaDevice#dynamicReceiver
     */
    public static DynamicAllocationReceiver create(Engines engines, ReceiverDirectory directory, String name,
            TensorArena arena, int depth, ArrivalChoice choice, long messageByteSizeMax, Striping striping,
            TransferCounters counters, String agreement, Borrowing borrowing) {
        // The tensors count, not their records.
        StaticPlacementReceiver records = new StaticPlacementReceiver(engines, directory, name, arena, RECORD_TYPE,
                RECORD_SHAPE, depth, choice, new TransferCounters(), agreement);
        DynamicAllocationReceiver receiver = new DynamicAllocationReceiver(records, engines, arena, messageByteSizeMax,
                striping, counters, borrowing);
        try {
            directory.announce(records);
        } catch (IllegalArgumentException e) {
            records.close();
            throw e;
        }
        return receiver;
    }

    /** Bytes of the slots for so many records, and what else is in their tensor. */
    public static long recordsByteSize(int depth) {
        return new SlotLayout(DynamicRecord.BYTE_SIZE, depth).totalByteSize();
    }

    private Engine home() {
        return queuePairs.getFirst().engine();
    }

    private Fetch at(long sequence) {
        return ring[SlotLayout.placeInRing(sequence, ring.length)];
    }

    /** The next tensor in order, or null if it is not here yet, or dead. */
    public Tensor poll() {
        Fetch next = nextArrived();
        return next == null || next.record.isDead() ? null : next.deliver();
    }

    /** Lends the next tensor in order to a lease that holds none. @return false if it is not here yet, or dead */
    public boolean poll(TensorLease lease) {
        Fetch next = nextArrived();
        if (next == null || next.record.isDead()) {
            return false;
        }
        next.lend(lease);
        return true;
    }

    /** Takes the next tensor in order if it is a dead one. */
    public boolean pollDead() {
        Fetch next = nextArrived();
        boolean isDead = next != null && next.record.isDead();
        if (isDead) {
            next.skip();
        }
        return isDead;
    }

    /** Whether the last poll found nothing because the next tensor in order is dead. */
    public boolean isNextDead() {
        Fetch next = at(delivered);
        return next.isDone() && next.record.isDead();
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
            look(next);
        }
        if (next.isDone() && records.owesAcknowledgement()) {
            // Perhaps nobody drives any more when the last of them is taken, and its sender waits.
            engines.progress();
        }
        if (next.state.getAcquire() == State.FAILED || !next.isDone() && failure != null) {
            throw new TransferException(records + ": " + (next.failure != null ? next.failure : failure));
        }
        if (!next.isDone() && sender == null) {
            records.checkMoreComes();
        }
        return next.isDone() ? next : null;
    }

    /** At the next record too: it is there before the doorbell that tells of it. */
    private void look(Fetch next) {
        if (next.state.getAcquire() == State.EMPTY && records.isHere(delivered)) {
            home().execute(fetch);
            return;
        }
        engines.progress();
        if (isHeldUp) {
            home().execute(fetch);
        }
    }

    /** Whether the next tensor waits for memory, which nobody tells of when it is freed. */
    public boolean isOutOfMemory() {
        return at(delivered).state.getAcquire() == State.AWAITING_MEMORY;
    }

    /** What it waits for memory for, in words; null if it does not. */
    public String awaitsMemory() {
        Fetch next = at(delivered);
        return !isOutOfMemory() ? null
                : records + ": no room for the next tensor, " + next.record.type() + next.record.shape() + " byteSize="
                        + next.record.byteSize() + ", in " + places;
    }

    /** Whether the present sender may lend, and this side can map what it lends. */
    public boolean borrows() {
        return borrower != null;
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
        if (!engines.awaitUninterruptibly(() -> reading.getAcquire() == 0, READS_NS)) {
            records.sender().fail(records + " was closed, and what it reads has not come after "
                    + TimeUnit.NANOSECONDS.toSeconds(READS_NS) + " s");
            engines.awaitUninterruptibly(() -> reading.getAcquire() == 0, READS_NS);
        }
        records.close();
        for (Fetch fetch : ring) {
            fetch.clear();
        }
        if (borrower != null) {
            borrower.leave();
        }
        places.close();
        counters.close();
    }

    // ---- while driving ----

    @Override
    public void onConnected(List<EngineQueuePair> from) {
        isSenderClosing = false;
        counters.onPeer(records.senderName());
        counters.onArrivalChosen(records.arrivalReason(), striping.stripeCount(Long.MAX_VALUE, from.size()));
        boolean isLent = borrowing != null && borrowing.isPossible() && records.isLentTo();
        borrower = !isLent ? null
                : new Borrower(records.sender(), from.getFirst(), records.returnsAddress(), records.returnsRkey(),
                        borrowing.words());
        queuePairs = from;
        int sender = ++senders;
        Engine engine = home();
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
            home().execute(fetch);
        } else if (borrower != null) {
            borrower.leave();
        }
        return isAllConsumed;
    }

    @Override
    public PlacementProtocol protocol() {
        return PlacementProtocol.DYNAMIC;
    }

    @Override
    public boolean takes(PlacementProtocol spoken) {
        return spoken == PlacementProtocol.DYNAMIC || spoken == PlacementProtocol.LENDING && borrowing != null;
    }

    /** What drives another queue pair meanwhile may want it too: the one under way goes on as long as there is more. */
    private void fetch() {
        if (isFetching) {
            return;
        }
        isFetching = true;
        try {
            boolean isMore = true;
            while (isMore && !isClosed && hasRoom()) {
                isMore = at(fetched).start(fetched);
                fetched += isMore ? 1 : 0;
            }
            if (!isMore) {
                isHeldUp = at(fetched).state.getAcquire() == State.AWAITING_MEMORY;
            }
        } finally {
            isFetching = false;
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

    /** Reads one tensor, over as many queue pairs as it has stripes. */
    private final class Fetch {
        private final DynamicRecord record = new DynamicRecord();
        private long sequence;
        /** What lies there is no record; nothing is taken behind it. */
        private boolean isMalformed;
        private LandingPlaces.Place place;
        /** What is here: that place, or what is borrowed. */
        private Landed landed;
        /** Made when they are needed for the first time. */
        private final Part[] parts = new Part[striping.queuePairs()];
        private int partsLeft;
        private String failure;
        /** Written in turn by who drives and who polls; who waits for it is told by the announcement behind it. */
        private final AtomicReference<State> state = new AtomicReference<>(State.EMPTY);

        boolean isDone() {
            State now = state.getAcquire();
            return now == State.ARRIVED || now == State.FAILED;
        }

        /** @return whether it has begun */
        boolean start(long sequence) {
            if (state.getAcquire() == State.EMPTY && !takeRecord(sequence)) {
                return false;
            }
            if (record.isDead()) {
                return takeDead();
            }
            if (record.loan() != 0) {
                return borrow();
            }
            place = places.tryTake(record.type(), record.shape());
            landed = place;
            if (place == null) {
                state.setRelease(State.AWAITING_MEMORY);
                return false;
            }
            state.setRelease(State.READING);
            reading.setRelease(reading.getPlain() + 1);
            if (record.byteSize() == 0 || readAtOnce()) {
                finish(null);
                engines.announce();
            } else {
                read();
            }
            return true;
        }

        private boolean takeDead() {
            reading.setRelease(reading.getPlain() + 1);
            finish(null);
            engines.announce();
            return true;
        }

        private boolean readAtOnce() {
            return queuePairs.getFirst().tryGet(record.address(), record.rkey(), place.region().memory(),
                    place.regionOffset(), record.byteSize());
        }

        private boolean borrow() {
            try {
                landed = borrower.take(record);
            } catch (TransferException e) {
                isMalformed = true;
                records.sender().fail(e.getMessage());
                return false;
            }
            reading.setRelease(reading.getPlain() + 1);
            finish(null);
            engines.announce();
            return true;
        }

        private void read() {
            List<EngineQueuePair> from = queuePairs;
            int count = striping.stripeCount(record.byteSize(), from.size());
            long byteSize = record.byteSize();
            failure = null;
            partsLeft = count;
            for (int i = 0; i < count; i++) {
                if (parts[i] == null) {
                    parts[i] = new Part(this);
                }
                parts[i].read(from.get(i), from.getFirst().engine(), Striping.begin(i, count, byteSize),
                        Striping.begin(i + 1, count, byteSize));
            }
        }

        private void onPartEnded(String cause) {
            failure = failure == null ? cause : failure;
            if (--partsLeft == 0) {
                finish(failure);
            }
        }

        private boolean takeRecord(long sequence) {
            MemorySegment words = isMalformed ? null : records.takeInPlace();
            if (words == null) {
                return false;
            }
            this.sequence = sequence;
            try {
                record.read(words, sequence);
                if (record.loan() != 0 && borrower == null) {
                    throw new TransferException("malformed record of a tensor: sequence=" + sequence + " is lent, loan="
                            + record.loan() + ", to who has not said that it borrows");
                }
                return true;
            } catch (TransferException e) {
                isMalformed = true;
                records.sender().fail(e.getMessage());
                return false;
            }
        }

        private void finish(String cause) {
            if (cause == null) {
                state.setRelease(State.ARRIVED);
                records.giveBack(sequence);
            } else {
                failure = cause;
                state.setRelease(State.FAILED);
            }
            reading.setRelease(reading.getPlain() - 1);
        }

        /** On the polling thread, as is the next. */
        Tensor deliver() {
            Tensor arrived = landed.give();
            onDelivered();
            return arrived;
        }

        void lend(TensorLease lease) {
            landed.lend(lease);
            onDelivered();
        }

        private void onDelivered() {
            if (record.loan() == 0) {
                counters.onTransfer(record.byteSize());
            } else {
                counters.onPlaced(record.byteSize());
            }
            place = null;
            landed = null;
            skip();
        }

        /** Makes room for the next one. */
        void skip() {
            state.setRelease(State.EMPTY);
            delivered++;
        }

        /** Nothing is read any more, and nothing acknowledged. */
        void clear() {
            if (landed != null) {
                landed.drop();
                landed = null;
            }
        }
    }

    /** A stripe of a tensor, in as many requests as the device's largest message makes necessary, one after the other. */
    private final class Part extends Stripe {
        private final Fetch whole;

        Part(Fetch whole) {
            super(1);
            this.whole = whole;
        }

        void read(EngineQueuePair over, Engine home, long begin, long end) {
            go(over, home, begin, end);
        }

        @Override
        protected long prepare(WorkRequest request, long byteOffset, long byteSize) {
            long taken = Math.min(byteSize, messageByteSizeMax);
            request.reset(0, Opcode.READ)
                    .element(whole.place.region(), whole.place.regionOffset() + byteOffset, taken)
                    .remote(whole.record.address() + byteOffset, whole.record.rkey());
            return taken;
        }

        @Override
        protected void onEnded(String cause) {
            whole.onPartEnded(cause);
        }
    }
}
