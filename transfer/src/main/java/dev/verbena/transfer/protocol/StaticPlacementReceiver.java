package dev.verbena.transfer.protocol;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorSlot;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.AccessRight;
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
    private static final int LINE_WORDS = (int) (SlotLayout.LINE / SlotLayout.WORD);

    /** A protocol that lies over these slots. While driving. */
    public interface Overlay {
        /** A sender has the slots now, and writes through the first of these queue pairs; all that the connection has. */
        void onConnected(List<EngineQueuePair> queuePairs);

        /**
         * It closes. Nothing here may take the lock of who gives slots back.
         *
         * @param isAllConsumed whether all slots that it has written were given back
         * @return whether this side leaves it alone from now on; it asks until then
         */
        boolean onSenderClosing(boolean isAllConsumed);

        /** What senders must speak. */
        PlacementProtocol protocol();

        /** Whether it understands senders of this one too. */
        default boolean takes(PlacementProtocol spoken) {
            return spoken == protocol();
        }
    }

    private final Engines engines;
    private final ReceiverDirectory directory;
    private final String name;
    private final int id;
    private final ElementType type;
    private final Shape shape;
    private final SlotLayout layout;
    private final ArrivalChoice choice;
    private final TransferCounters counters;
    /** Empty if it takes any sender, one after the other. */
    private final String agreement;
    private final Tensor buffer;
    private final MemoryRegion region;
    /** One for all slots that are handed out, so that a receiver that closes meanwhile leaves them their memory; given up with the last hold. */
    private final TensorLease slotsLease;
    /** Slots handed out, and one for the receiver while it is open, each of which would pin the buffer by three locked instructions. */
    private final AtomicInteger holds = new AtomicInteger(1);

    /** Of the present sender, or the last. */
    private volatile ArrivalMode arrivalMode;
    /** Of a tensor of the present sender, or the last, and over which queue pairs they come. */
    private volatile int stripes = 1;
    private int firstQueuePairIndex;
    /** With immediate, of each stripe, those before the present sender included; each in a line of its own, which who drives its queue pair writes. */
    private final AtomicLongArray arrivals = new AtomicLongArray(Striping.QUEUE_PAIRS_MAX * LINE_WORDS);
    private final Slot[] slots;
    /** Of each slot the sequence of the tensor that was in it last, plus 1, once that is closed. */
    private final AtomicLongArray consumed;
    private final AtomicBoolean acknowledgementScheduled = new AtomicBoolean();
    private final AtomicBoolean acknowledgementPostponed = new AtomicBoolean();
    /** What the acknowledgement says that is written, or was last. */
    private final AtomicLong told = new AtomicLong();
    private final Runnable acknowledgementCommand = this::acknowledge;
    private final Runnable finishCommand = this::finish;
    private final Acknowledgement acknowledgement = new Acknowledgement();
    /** Whether one is under way, or due behind that. */
    private final AtomicBoolean acknowledgementUnderWay = new AtomicBoolean();

    private volatile PlacementState state = PlacementState.AWAITING_SENDER;
    private volatile PeerConnection peer;
    private volatile EngineQueuePair acknowledgementQueuePair;
    private long acknowledgementAddress;
    private long acknowledgementRkey;
    private boolean isLentTo;
    /** Written by the polling thread. */
    private long received;
    /** Consumed without a gap; written while driving the acknowledgement's queue pair, and by who connects a sender before there is one. */
    private final AtomicLong acknowledged = new AtomicLong();
    /** The sender that is bound, or was last. Guarded by this, as are the next two. */
    private int senderId;
    /** Tensors that senders who have closed had written. */
    private volatile long sentBefore;
    /** Senders that have closed. */
    private long goodbyes;
    private volatile String lastSenderName;
    /** The last acknowledgement is to be written. */
    private volatile boolean isFinishing;
    /** No acknowledgement is written any more, or yet; what else a new sender has changed is there before this is false again. */
    private volatile boolean isFinished = true;
    /** And none is on its way. */
    private volatile boolean isQuiet = true;
    /** Null if users poll here. */
    private volatile Overlay overlay;
    private volatile boolean tellsPolls;

    /** For any sender, one after the other. */
    public StaticPlacementReceiver(Engines engines, ReceiverDirectory directory, String name, TensorArena arena,
            ElementType type, Shape shape, int depth, ArrivalChoice choice, TransferCounters counters) {
        this(engines, directory, name, arena, type, shape, depth, choice, counters, "");
    }

    /**
     * Allocates the slots in the arena, whose slabs must be registered with the device.
     *
     * @param agreement that a sender must say too; then it is the only one for the life of the receiver. Empty for none
     */
    public StaticPlacementReceiver(Engines engines, ReceiverDirectory directory, String name, TensorArena arena,
            ElementType type, Shape shape, int depth, ArrivalChoice choice, TransferCounters counters,
            String agreement) {
        this(engines, directory, name,
                arena.allocate(ElementType.UINT8,
                        Shape.of(new SlotLayout(shape.byteSize(type), depth).totalByteSize())),
                type, shape, depth, choice, counters, agreement);
    }

    /** With slots in memory that is its own from then on, also if it is refused: of a slab that is registered with the device. */
    public StaticPlacementReceiver(Engines engines, ReceiverDirectory directory, String name, Tensor buffer,
            ElementType type, Shape shape, int depth, ArrivalChoice choice, TransferCounters counters,
            String agreement) {
        this.agreement = agreement;
        this.engines = engines;
        this.directory = directory;
        this.name = name;
        this.id = directory.nextId();
        this.type = type;
        this.shape = shape;
        this.choice = choice;
        this.arrivalMode = choice.beforehand();
        this.counters = counters;
        this.buffer = buffer;
        try {
            this.layout = new SlotLayout(shape.byteSize(type), depth);
            this.region = regionOf(buffer);
        } catch (RuntimeException e) {
            buffer.close();
            throw e;
        }
        this.slotsLease = TensorLease.of(buffer);
        this.consumed = new AtomicLongArray(depth);
        this.slots = new Slot[depth];
        for (int slot = 0; slot < depth; slot++) {
            slots[slot] = new Slot(slot);
            consumed.set(slot, (long) slot + 1 - depth);
            for (int stripe = 0; stripe < Striping.QUEUE_PAIRS_MAX; stripe++) {
                Words.setRelease(buffer.memory(), layout.slotOffset(slot) + layout.tailOffset(stripe), 0);
            }
        }
    }

    /** @throws IllegalArgumentException if peers may not write there, or it is too small */
    private MemoryRegion regionOf(Tensor slots) {
        if (!(slots.slab() instanceof MemoryRegion registered)) {
            throw new IllegalArgumentException(
                    "receiver '" + name + "': the memory of its slots is not registered; allocate them in an "
                            + "arena over device.slabSource()");
        }
        if (!registered.rights().contains(AccessRight.REMOTE_WRITE)) {
            throw new IllegalArgumentException(
                    "receiver '" + name + "': peers may not write into the memory of its slots, rights="
                            + registered.rights() + "; import it with LOCAL_WRITE and REMOTE_WRITE");
        }
        if (slots.byteSize() < layout.totalByteSize()) {
            throw new IllegalArgumentException("receiver '" + name + "': its slots need byteSize="
                    + layout.totalByteSize() + ", which receiverBufferByteSize says, but were given " + slots);
        }
        return registered;
    }

    String name() {
        return name;
    }

    int id() {
        return id;
    }

    /** How arrival is seen; AUTO if it depends on a sender that is not there yet. */
    public ArrivalMode arrivalMode() {
        return arrivalMode;
    }

    /** Why, in words. */
    public String arrivalReason() {
        return choice.reason(arrivalMode);
    }

    /** Whether something may arrive, now or from the next sender, that nothing but memory tells of. */
    public boolean arrivesByWrite() {
        return arrivalMode != ArrivalMode.IMMEDIATE || peer == null && choice.mode() == ArrivalMode.AUTO;
    }

    /** The next tensor in order, or null if it has not arrived. */
    public Tensor poll() {
        Slot slot = nextArrived();
        return slot == null ? null : slot.take();
    }

    /** Lends the next tensor in order to a lease that holds none. @return false if it has not arrived */
    public boolean poll(TensorLease lease) {
        Slot slot = nextArrived();
        if (slot == null) {
            return false;
        }
        slot.lend(lease);
        return true;
    }

    /** @return null if nothing is in it yet */
    private Slot nextArrived() {
        if (state == PlacementState.CLOSED) {
            throw new IllegalStateException("receiver '" + name + "' is closed");
        }
        PeerConnection sender = peer;
        String failure = sender == null ? null : sender.failure();
        Slot next = arrived();
        if (next == null && engines.progress() > 0) {
            next = arrived();
        }
        if (next == null && failure != null) {
            fail();
            throw new TransferException("receiver '" + name + "': " + failure);
        }
        if (next == null && sender == null) {
            checkMoreComes();
        }
        if (next != null) {
            counters.onTransfer(layout.byteSize());
        }
        return next;
    }

    /** As far as memory tells. */
    private Slot arrived() {
        long sequence = received;
        if (!hasArrived(sequence)) {
            return null;
        }
        Slot slot = slots[layout.slot(sequence)];
        if (!slot.isFree(sequence)) {
            throw overwritten(peer, sequence);
        }
        return slot;
    }

    private TransferException overwritten(PeerConnection sender, long sequence) {
        String cause = "sequence=" + sequence + " was written into a slot that is in use, of receiver '" + name
                + "' depth=" + layout.depth();
        if (sender != null) {
            sender.fail(cause);
        }
        fail();
        return new TransferException("receiver '" + name + "': " + cause);
    }

    // ---- for a protocol over it ----

    public void carry(Overlay overlay) {
        this.overlay = overlay;
        tellPolls();
    }

    /** The sender's engine watches for free slots: whoever polls there must be told of them. */
    public void tellPolls() {
        tellsPolls = true;
    }

    /** Whether what comes with that sequence is in memory, taken or not; drives nothing. Thread-safe. */
    boolean isHere(long sequence) {
        return hasArrived(sequence);
    }

    /** Lends what is next in memory, and drives nothing. @return false if that has not arrived */
    public boolean take(TensorLease lease) {
        Slot slot = arrived();
        if (slot == null) {
            return false;
        }
        slot.lend(lease);
        return true;
    }

    /**
     * What is next in memory, to be read while driving, and told by {@link #giveBack} when its sender may forget it; drives nothing. It needs no
     * hold of its own on the slots: who lies over them closes them when nobody reads any more.
     *
     * @return null if it has not arrived
     */
    MemorySegment takeInPlace() {
        Slot slot = arrived();
        if (slot == null) {
            return null;
        }
        received++;
        return slot.bytes;
    }

    /** Of what was taken in place. While driving: nobody else asks for its acknowledgement, so none has to be told that it is under way. */
    void giveBack(long sequence) {
        consumed.setRelease(layout.slot(sequence), sequence + 1);
        if (peer != null) {
            acknowledgementQueuePair.engine().execute(acknowledgementCommand);
        }
    }

    int depth() {
        return layout.depth();
    }

    /** Whether the sender has perhaps not heard of all that was consumed, and will not unless somebody drives. */
    boolean owesAcknowledgement() {
        return acknowledgementUnderWay.getAcquire();
    }

    /** Whether the present sender may lend. To be asked when it has connected, as are the next two. */
    boolean isLentTo() {
        return isLentTo;
    }

    /** Where {@link Loans} of the present sender hear of what is given back. */
    long returnsAddress() {
        return acknowledgementAddress + SlotLayout.LINE;
    }

    long returnsRkey() {
        return acknowledgementRkey;
    }

    /** Who sends here; null while nobody does. */
    public PeerConnection sender() {
        return peer;
    }

    @Override
    public String toString() {
        return "receiver '" + name + "'";
    }

    // ---- the sender ----

    /** Who sends here, for messages. */
    public String senderName() {
        PeerConnection sender = peer;
        return sender == null ? "a sender that has not connected yet" : sender.name();
    }

    /** Senders that have closed so far. */
    public synchronized long goodbyes() {
        return goodbyes;
    }

    /** Whether a sender has closed since there were so many, none has come after it, and all that it sent has been polled. */
    public synchronized boolean hasEndedSince(long goodbyesBefore) {
        return goodbyes > goodbyesBefore && state == PlacementState.AWAITING_SENDER && received >= sentBefore;
    }

    /** When nothing has arrived and nobody sends. @throws TransferException if nobody ever will */
    void checkMoreComes() {
        if (!agreement.isEmpty() && hasEndedSince(0)) {
            throw new TransferException("receiver '" + name + "': the sender of peer " + lastSenderName
                    + " has closed, and this receiver was made for no other");
        }
    }

    /**
     * A sender asks for the slots. While driving.
     *
     * <p>With an agreement there is one in its life: who comes after it, a sender that was made anew, waits for a receiver that is made anew.
     */
    synchronized PlacementAnswer connect(PeerConnection sender, PlacementRequest request) {
        if (!agreement.isEmpty() && (peer != null || goodbyes > 0)) {
            return PlacementAnswer.NOT_YET;
        }
        if (!agreement.equals(request.agreement())) {
            throw new TransferException("receiver '" + name + "' was made for " + inWords(agreement)
                    + ", and the sender for " + inWords(request.agreement()));
        }
        PlacementProtocol protocol = overlay == null ? PlacementProtocol.STATIC : overlay.protocol();
        if (overlay == null ? request.protocol() != protocol : !overlay.takes(request.protocol())) {
            String takes = switch (protocol) {
                case STATIC -> "tensors of one shape, " + type + shape + ": use channel.sender";
                case DYNAMIC -> "tensors of any shape: use channel.dynamicSender";
                case EXCHANGE -> "tensors by name and step: use channel.exchangeSender";
                case LENDING -> "tensors of any shape, lent ones too: use channel.lendingSender";
            };
            throw new TransferException(
                    "receiver '" + name + "' takes " + takes + ", not " + request.protocol().method());
        }
        if (!type.equals(request.type()) || !shape.equals(request.shape())) {
            throw new TransferException("receiver '" + name + "' takes " + type + shape + ", not " + request.type()
                    + request.shape());
        }
        if (state == PlacementState.CLOSED) {
            return PlacementAnswer.NOT_YET;
        }
        if (!state.allows(PlacementState.OPEN)) {
            throw new TransferException("receiver '" + name + "' already has a sender: " + senderName());
        }
        senderId = request.senderId();
        acknowledgementAddress = request.acknowledgementAddress();
        acknowledgementRkey = request.acknowledgementRkey();
        isLentTo = request.protocol() == PlacementProtocol.LENDING;
        acknowledgement.begin();
        countConsumed();
        told.setRelease(acknowledged.getPlain());
        List<EngineQueuePair> queuePairs = sender.dataQueuePairsFrom(request.queuePairIndex());
        acknowledgementQueuePair = queuePairs.getFirst();
        firstQueuePairIndex = request.queuePairIndex();
        stripes = request.stripes();
        for (int stripe = 0; stripe < stripes; stripe++) {
            arrivals.setRelease(stripe * LINE_WORDS, sentBefore);
        }
        arrivalMode = choice.between(request.writesInOrder(),
                EngineQueuePair.areInOrder(queuePairs.subList(0, stripes)));
        counters.onArrivalChosen(arrivalReason(), stripes);
        peer = sender;
        isFinishing = false;
        isQuiet = false;
        isFinished = false;
        lastSenderName = sender.name();
        counters.onPeer(sender.name());
        state = PlacementState.OPEN;
        if (overlay != null) {
            overlay.onConnected(queuePairs);
        }
        return new PlacementAnswer(true, arrivalMode == ArrivalMode.TAIL, id, layout.depth(),
                region.address() + buffer.slabOffset(),
                region.rkey(), sentBefore, acknowledged.getAcquire());
    }

    private static String inWords(String agreement) {
        return agreement.isEmpty() ? "no agreement" : agreement;
    }

    /** The sender closes; another may come. @return whether no acknowledgement is on its way to it */
    synchronized boolean onSenderClosed(PeerConnection sender, Farewell farewell) {
        if (peer != sender || senderId != farewell.senderId()) {
            return true;
        }
        if (state == PlacementState.CLOSED) {
            return isQuiet;
        }
        if (state != PlacementState.OPEN) {
            return true;
        }
        long sent = Math.max(farewell.sent(), sentBefore);
        leaveToDriver(acknowledgementCommand);
        long consumedSoFar = acknowledged.getAcquire();
        if (sent < consumedSoFar || sent > consumedSoFar + layout.depth()) {
            throw new TransferException("malformed farewell: sent=" + sent + " acknowledged=" + consumedSoFar
                    + " depth=" + layout.depth());
        }
        if (sent > sentBefore && !hasArrived(sent - 1) || sender.failure() != null) {
            // Complete, and not told or visible yet, or the sender has perhaps not been told: whoever polls must hear of a failure.
            return false;
        }
        if (overlay != null && !overlay.onSenderClosing(consumedSoFar == sent)) {
            return false;
        }
        isFinishing = true;
        leaveToDriver(finishCommand);
        if (isQuiet) {
            sentBefore = sent;
            goodbyes++;
            peer = null;
            state = PlacementState.AWAITING_SENDER;
        }
        return isQuiet;
    }

    /** Whoever drives the acknowledgement's queue pair runs it: this thread at once, or another one soon. */
    private void leaveToDriver(Runnable command) {
        Engine engine = acknowledgementQueuePair.engine();
        if (engine.isDriving()) {
            command.run();
        } else {
            engine.enqueue(command);
        }
    }

    /** A write with immediate arrived, in the order of its queue pair. While driving that. @return false if it is not the sender who says so */
    boolean onArrival(PeerConnection from, int queuePairIndex) {
        if (peer != from) {
            return false;
        }
        int stripe = Math.floorMod(queuePairIndex - firstQueuePairIndex, from.dataQueuePairCount());
        if (stripe >= stripes) {
            return false;
        }
        int index = stripe * LINE_WORDS;
        arrivals.setRelease(index, arrivals.getPlain(index) + 1);
        return true;
    }

    /**
     * The sender, if there is one, is told, and writes no more when this returns: then the slots are free, as soon as the last tensor from
     * them is closed. From a callback, which must not wait, that is done soon.
     */
    public void close() {
        synchronized (this) {
            if (state == PlacementState.CLOSED) {
                return;
            }
            state = PlacementState.CLOSED;
        }
        engines.waitElsewhereIfDriving(this::takeLeave);
    }

    /** First the acknowledgements end: a sender that closes at the same time finds this here until they have. */
    private void takeLeave() {
        PeerConnection sender = peer;
        boolean isFree = sender == null;
        if (sender != null) {
            isFinishing = true;
            acknowledgementQueuePair.engine().execute(finishCommand);
            engines.awaitUninterruptibly(() -> isQuiet, StaticPlacementSender.CLOSE_NS);
            isFree = sender.takeLeave(Farewell.OF_RECEIVER, new Farewell(id, senderId, 0), "receiver '" + name + "'",
                    PeerConnection.FAREWELL_NS);
        }
        directory.remove(this);
        drop();
        if (isFree) {
            buffer.close();
        } else {
            sender.giveBack(buffer);
        }
        counters.close();
    }

    private void drop() {
        if (holds.decrementAndGet() == 0) {
            slotsLease.close();
        }
    }

    private boolean hasArrived(long sequence) {
        if (sequence < sentBefore) {
            return true;
        }
        for (int stripe = 0; stripe < stripes; stripe++) {
            if (!hasArrived(sequence, stripe)) {
                return false;
            }
        }
        return true;
    }

    private boolean hasArrived(long sequence, int stripe) {
        if (arrivalMode == ArrivalMode.TAIL) {
            return Words.getAcquire(buffer.memory(),
                    layout.slotOffset(sequence) + layout.tailOffset(stripe)) == sequence + 1;
        }
        return arrivals.getAcquire(stripe * LINE_WORDS) > sequence;
    }

    private synchronized void fail() {
        if (state.allows(PlacementState.FAILED)) {
            state = PlacementState.FAILED;
        }
    }

    private void onConsumed(long sequence) {
        consumed.setRelease(layout.slot(sequence), sequence + 1);
        if (peer == null) {
            return;
        }
        if (overlay == null && sequence + 1 - told.getAcquire() < layout.depth() / 2) {
            // Not half of the slots yet: what this thread does next, perhaps an answer, goes first.
            if (acknowledgementPostponed.compareAndSet(false, true)) {
                acknowledgementQueuePair.engine().postpone(acknowledgementCommand);
            }
        } else if (acknowledgementScheduled.compareAndSet(false, true)) {
            acknowledgementQueuePair.engine().execute(acknowledgementCommand);
        }
    }

    // ---- while driving the acknowledgement's queue pair ----

    /** Tells the sender of all slots that were consumed without a gap, one write at a time. */
    private void acknowledge() {
        acknowledgementPostponed.setRelease(false);
        if (acknowledgementScheduled.get()) {
            acknowledgementScheduled.set(false);
        }
        if (isFinished || isElsewhere(acknowledgementCommand)) {
            return;
        }
        countConsumed();
        long count = acknowledged.getPlain();
        if (count > told.getPlain() && !acknowledgement.inFlight && peer.failure() == null) {
            acknowledgement.write(count);
        }
    }

    /** Of a sender before, whose queue pair another engine may have driven: then it is left to that of the present one. */
    private boolean isElsewhere(Runnable command) {
        Engine engine = acknowledgementQueuePair.engine();
        if (engine.isDriving()) {
            return false;
        }
        engine.enqueue(command);
        return true;
    }

    private void countConsumed() {
        long count = acknowledged.getPlain();
        while (consumed.getAcquire(layout.slot(count)) == count + 1) {
            count++;
        }
        acknowledged.setRelease(count);
    }

    /** The last acknowledgement, if one is due. */
    private void finish() {
        if (!isFinishing || isFinished && isQuiet || isElsewhere(finishCommand)) {
            return;
        }
        acknowledge();
        isFinished = true;
        endIfFinished();
    }

    private void endIfFinished() {
        if (isFinished && !isQuiet && !acknowledgement.inFlight) {
            acknowledgement.end();
            isQuiet = true;
        }
    }

    /** A slot as the polling thread hands it out and whoever closes gives it back. */
    private final class Slot {
        private final TensorSlot memory;
        private final MemorySegment bytes;
        private long sequence;

        Slot(int index) {
            bytes = buffer.memory().asSlice(layout.slotOffset(index), layout.byteSize());
            memory = new TensorSlot(region, buffer.slabOffset() + layout.slotOffset(index), type, shape,
                    this::onFree);
        }

        boolean isFree(long next) {
            return consumed.getAcquire(layout.slot(next)) == next + 1 - layout.depth();
        }

        Tensor take() {
            handOut();
            return memory.take();
        }

        void lend(TensorLease borrower) {
            handOut();
            try {
                memory.lend(borrower);
            } catch (IllegalStateException e) {
                received = sequence;
                drop();
                throw e;
            }
        }

        private void handOut() {
            holds.getAndIncrement();
            sequence = received;
            received = sequence + 1;
        }

        private void onFree() {
            long done = sequence;
            drop();
            onConsumed(done);
        }
    }

    /** Writes the number of tensors consumed into the sender's memory. */
    private final class Acknowledgement extends Request {
        /** While there is a sender, so that a receiver that closes leaves what is on its way its memory. */
        private final TensorLease lease = new TensorLease();
        private boolean inFlight;

        Acknowledgement() {
            super(1);
        }

        void begin() {
            lease.pin(buffer);
        }

        void end() {
            lease.close();
        }

        void write(long count) {
            told.setRelease(count);
            // Who waits for a slot looks at the word itself.
            if (acknowledgementQueuePair.tryPutWord(acknowledgementAddress, acknowledgementRkey, count, tellsPolls)) {
                return;
            }
            inFlight = true;
            acknowledgementUnderWay.setRelease(true);
            Words.setRelease(buffer.memory(), layout.acknowledgementOffset(), count);
            workRequest.reset(0, Opcode.WRITE)
                    .element(region, buffer.slabOffset() + layout.acknowledgementOffset(), SlotLayout.WORD)
                    .remote(acknowledgementAddress, acknowledgementRkey);
            acknowledgementQueuePair.submit(this);
        }

        @Override
        protected void onDone(String failure) {
            inFlight = false;
            acknowledgementUnderWay.setRelease(false);
            endIfFinished();
            if (failure == null) {
                acknowledge();
            }
        }
    }
}
