package dev.verbena.transfer.protocol;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import dev.verbena.memory.ByteRuns;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.engine.Stripe;
import dev.verbena.transfer.events.TensorSentEvent;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Sending end of static placement (EuroSys'19 §3.2): each tensor is one write into the receiver's next free slot, payload and
 * tail together; a receiver that lags is back-pressure. A tensor larger than the device's messages goes in several writes, the
 * last of which carries the tail or the immediate. A large one goes in stripes, each over a queue pair of its own, and each with a tail word or an
 * immediate; the receiver waits for all. A view that is not contiguous is gathered by the elements of the write, as long as it
 * has not more runs than the device has elements. Where the fabric maps the receiver's memory, a tensor can be computed in its slot; then only
 * the tail, or the immediate, is left to write. There a small one is put at once, payload and then tail, by the offering thread and without a request, if none
 * before it is under way.
 *
 * <p>Always: {@code acknowledged <= sent <= acknowledged + depth}.
 *
 * <p>What is offered is posted by whoever drives the queue pair, in the order of the offers: {@code begun <= offered}, on each lane.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.TensorSender}. <b>Threading:</b> offers by one thread at a time; callbacks, and the ends
 * of requests, while driving {@link #engine}.
 */
public final class StaticPlacementSender {
    /** Room for one tail: up to 7 bytes of pad, and the sequence word in the last 8 bytes. */
    private static final long TAIL_BYTE_SIZE = 2 * SlotLayout.WORD;
    /** A peer that is alive takes far less; one that is gone fails what is outstanding. */
    static final long CLOSE_NS = 2_000_000_000;
    /** For large tensors on a slow network; the memory of what is still being sent cannot be given back. */
    private static final long SENDS_NS = 30_000_000_000L;

    /** A protocol that lies over these slots. */
    public interface Overlay {
        /** The receiver has closed, or the leave of it is taken: nothing is read or acknowledged any more. On any thread. */
        void onEnd();

        /** The sender is closed, by whoever. */
        void onClosed();
    }

    private final SenderDirectory directory;
    private final int id;
    private final String name;
    private final ElementType type;
    private final Shape shape;
    private final PeerConnection peer;
    /** The first of the lanes', where tensors are at home. */
    private final EngineQueuePair queuePair;
    private final Lane[] lanes;
    private final PlacementAnswer placement;
    private final SlotLayout layout;
    /** The word that the receiver writes the number of consumed tensors to. */
    private final Tensor acknowledgement;
    private final Tensor tails;
    private final Capabilities capabilities;
    private final TransferCounters counters;
    private final SlotSend[] sends;
    /** By this side's processor, and only if one word tells of a tensor. */
    private final boolean isPutPossible;

    /** Written by the offering thread, as is the next. */
    private long sent;
    /** What it knows of the acknowledgements: the word lies on a line that the receiver writes, and is read when no slot is known to be free. */
    private long acknowledgedSeen;
    /** As many of them as may be posted; the last of these is. */
    private final AtomicLong offered;
    private volatile PlacementState state = PlacementState.OPEN;
    private volatile String failure;
    /** Null if users offer their tensors here. */
    private volatile Overlay overlay;
    private volatile boolean tellsPolls;
    /** Null before the first tensor is placed. */
    private volatile PlacedSlots placed;
    private final Runnable unmap = this::unmap;

    /** For slots that the peer has answered with; {@code acknowledgement} was told to it. */
    StaticPlacementSender(SenderDirectory directory, PlacementRequest request, PlacementAnswer placement,
            PeerConnection peer,
            Tensor acknowledgement,
            TensorArena messageArena, Capabilities capabilities, TransferCounters counters) {
        this.directory = directory;
        this.id = request.senderId();
        this.name = request.name();
        this.type = request.type();
        this.shape = request.shape();
        this.peer = peer;
        List<EngineQueuePair> queuePairs = peer.dataQueuePairsFrom(request.queuePairIndex());
        this.queuePair = queuePairs.getFirst();
        this.lanes = new Lane[request.stripes()];
        this.placement = placement;
        this.layout = new SlotLayout(shape.byteSize(type), placement.depth());
        this.acknowledgement = acknowledgement;
        this.tails = messageArena.allocate(ElementType.UINT8, Shape.of(placement.depth(), TAIL_BYTE_SIZE));
        this.capabilities = capabilities;
        this.counters = counters;
        this.sent = placement.sent();
        this.acknowledgedSeen = placement.acknowledged();
        this.offered = new AtomicLong(sent);
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane(queuePairs.get(i), i);
        }
        this.isPutPossible = capabilities.mapsPeerMemory() && placement.tail() && lanes.length == 1;
        this.sends = new SlotSend[placement.depth()];
        for (int slot = 0; slot < sends.length; slot++) {
            sends[slot] = new SlotSend(slot);
        }
        counters.onArrivalChosen(arrivalReason(), lanes.length);
    }

    int id() {
        return id;
    }

    String name() {
        return name;
    }

    public PeerConnection peer() {
        return peer;
    }

    // ---- for a protocol over it ----

    public void carry(Overlay overlay) {
        this.overlay = overlay;
        tellPolls();
    }

    /** The receiver's engine watches for what comes: whoever polls there must be told of it. */
    public void tellPolls() {
        tellsPolls = true;
    }

    /** The line that the receiver acknowledges in, and what was allocated behind it. */
    Tensor acknowledgement() {
        return acknowledgement;
    }

    public Engine engine() {
        return queuePair.engine();
    }

    /** Tensors offered, those of earlier senders included. */
    public long sent() {
        return sent;
    }

    /** Why nothing goes any more; null while all is well. */
    public String failure() {
        return failure != null ? failure : peer.failure();
    }

    boolean isClosed() {
        return state == PlacementState.CLOSED;
    }

    @Override
    public String toString() {
        return "sender '" + name + "'";
    }

    /** Takes a tensor of the sender's type and shape; only when it {@link #isReady}. */
    void put(Tensor tensor, SendCallback callback) {
        put(tensor, 0, layout.byteSize(), callback);
    }

    /** The same, of memory that is there for as long as this sender is: it takes no hold on it. */
    void putOwn(Tensor tensor, SendCallback callback) {
        takeSlot(null, layout.byteSize()).start(null, tensor, 0, layout.byteSize(), callback, sent - 1);
    }

    /**
     * Whether a part would be taken now, as far as memory tells; drives nothing. Where arrivals are only counted, a short part must not overtake
     * a long one, which takes several writes.
     */
    public boolean hasSlotForPart() {
        return hasSlot() && (placement.tail()
                || layout.byteSize() + layout.tailByteSize() <= capabilities.messageByteSizeMax()
                || !sends[Math.floorMod(sent - 1, layout.depth())].busy.getAcquire());
    }

    /** Takes bytes of a registered tensor, whatever it is, to the end of the slot's payload; only when it {@link #hasSlotForPart}. */
    public void put(Tensor tensor, long byteOffset, long byteSize, SendCallback callback) {
        takeSlot(tensor, byteSize).start(tensor, tensor, byteOffset, byteSize, callback, sent - 1);
    }

    /**
     * The same, to another place in the receiver's memory, of which it has told this side: its slot tells of the arrival alone. That place is written
     * as slots are, not after the receiver has closed.
     */
    public void putAt(long address, long rkey, Tensor tensor, long byteOffset, long byteSize, SendCallback callback) {
        takeSlot(tensor, byteSize).startAt(address, rkey, tensor, byteOffset, byteSize, callback, sent - 1);
    }

    /** Only the arrival of so many bytes of a registered tensor, which the receiver reads where they lie; only when it {@link #hasSlotForPart}. */
    public void putPlace(Tensor tensor, long byteSize, SendCallback callback) {
        requireNothingPlaced();
        takeSlotOfPlaced(tensor, byteSize).start(tensor, tensor, 0, 0, callback, sent - 1);
    }

    /**
     * What the shortest of some plain writes takes, one after the other, from its post to its completion. They go to where the next tensor
     * will, and are nothing to the receiver. Waits for them; nothing may be offered meanwhile.
     *
     * @param byteSize of a write, at most the slot's
     * @throws TransferException if the connection fails
     */
    public long measureWriteNs(Tensor tensor, long byteSize) {
        Probe probe = new Probe((MemoryRegion) tensor.slab(), tensor.slabOffset(), byteSize);
        queuePair.execute(probe);
        if (!peer.engines().awaitUninterruptibly(() -> probe.left == 0, SENDS_NS)) {
            peer.fail("sender '" + name + "' has waited " + TimeUnit.NANOSECONDS.toSeconds(SENDS_NS)
                    + " s for a write of byteSize=" + byteSize);
            peer.engines().awaitUninterruptibly(() -> probe.left == 0, CLOSE_NS);
        }
        if (probe.failure != null) {
            throw new TransferException("sender '" + name + "': " + probe.failure);
        }
        return probe.bestNs;
    }

    // ---- offering ----

    /** Whether an offer would be taken now. */
    public boolean isReady() {
        checkUsable();
        if ((!isPutPossible || sent - acknowledgedSeen < layout.depth()) && hasSlot()) {
            return true;
        }
        // Once round at the latest: who only puts drives here, so that a peer that calls has its answer.
        peer.engines().progress();
        return hasSlot();
    }

    private boolean hasSlot() {
        if (sent - acknowledgedSeen >= layout.depth()) {
            acknowledgedSeen = acknowledgedAcquire();
        }
        return sent - acknowledgedSeen < layout.depth() && !nextSend().busy.getAcquire()
                && (placed == null || placed.isFree(sent));
    }

    /** @see dev.verbena.transfer.TensorSender#offer(Tensor, SendCallback) */
    public SendResult offer(Tensor tensor, SendCallback callback) {
        checkFits(tensor.type(), tensor.shape(), tensor);
        if (isPlaced(tensor.slab())) {
            offerPlaced(tensor.address(), tensor, callback);
            return SendResult.SENT;
        }
        if (!isReady()) {
            return backPressured();
        }
        put(tensor, callback);
        return SendResult.SENT;
    }

    /** @see dev.verbena.transfer.TensorSender#offer(TensorView, SendCallback) */
    public SendResult offer(TensorView view, SendCallback callback) {
        checkFits(view.type(), view.shape(), view);
        ByteRuns runs = view.layout().runs();
        if (runs.count() > runCountMax()) {
            throw new IllegalArgumentException("sender '" + name + "': " + view + " has " + runs
                    + ", but one write of this device gathers at most " + runCountMax()
                    + "; use offerCopy, or copy it to a dense tensor");
        }
        if (!isReady()) {
            return backPressured();
        }
        takeSlot(view).start(view, runs, callback, sent - 1);
        return SendResult.SENT;
    }

    // ---- destination placement ----

    /** Whether tensors can be computed in the receiver's slots. */
    public boolean placesTensors() {
        return capabilities.mapsPeerMemory();
    }

    /** Whether the slab is the receiver's slots, as they are mapped here. */
    public boolean isPlaced(Slab slab) {
        return placed != null && placed.isIn(slab);
    }

    /** @see dev.verbena.transfer.TensorSender#place(TensorArena) */
    public Tensor place(TensorArena elsewhere) {
        if (!isReadyToPlace()) {
            counters.onBackPressure();
            return null;
        }
        if (!placesTensors()) {
            return tryAllocate(elsewhere);
        }
        Tensor tensor = slots().take(sent);
        try {
            checkUsable();
        } catch (IllegalStateException | TransferException e) {
            tensor.close();
            throw e;
        }
        return tensor;
    }

    /** @see dev.verbena.transfer.TensorSender#place(TensorLease) */
    public boolean place(TensorLease lease) {
        if (!placesTensors()) {
            throw new UnsupportedOperationException("sender '" + name
                    + "': this fabric does not map the receiver's memory; place(arena) gives a tensor of the arena then");
        }
        if (!isReadyToPlace()) {
            counters.onBackPressure();
            return false;
        }
        slots().lend(sent, lease);
        try {
            checkUsable();
        } catch (IllegalStateException | TransferException e) {
            lease.close();
            throw e;
        }
        return true;
    }

    private boolean isReadyToPlace() {
        boolean isReady = isReady() && hasSlotForPart();
        requireNothingPlaced();
        return isReady;
    }

    /** A sender or a connection that is closed meanwhile leaves nothing mapped. */
    private PlacedSlots slots() {
        if (placed == null) {
            synchronized (this) {
                checkUsable();
                peer.addCloseListener(unmap);
                placed = PlacedSlots.map(peer.connection(), placement, layout, type, shape);
            }
        }
        return placed;
    }

    /** The peer waits for it, whatever becomes of the sender. */
    private synchronized void unmap() {
        if (placed != null) {
            placed.close();
        }
    }

    private void requireNothingPlaced() {
        if (placed != null && placed.isPending(sent)) {
            throw new IllegalStateException("sender '" + name
                    + "': a tensor is placed in the receiver's next slot; offer it, or close it, before another");
        }
    }

    /** @see dev.verbena.transfer.TensorSender#offer(TensorLease, SendCallback) */
    public SendResult offer(TensorLease lent, SendCallback callback) {
        offerPlaced(lent.address(), lent, callback);
        return SendResult.SENT;
    }

    /** Its slot is free, or it would not have been placed. */
    private void offerPlaced(long address, Object offered, SendCallback callback) {
        checkUsable();
        if (placed == null || !placed.offer(sent, address)) {
            throw new IllegalStateException("sender '" + name + "': " + offered
                    + " is not what was placed last, or was offered before; a placed tensor is sent once");
        }
        takeSlotOfPlaced(tails, layout.byteSize()).start(tails, tails, 0, 0, callback, sent - 1);
    }

    /** Of what lies where it is used already: whatever stores it was computed with, streaming ones too, comes before the word that tells of it. */
    private SlotSend takeSlotOfPlaced(Tensor held, long byteSize) {
        VarHandle.fullFence();
        SlotSend next = nextSend();
        next.hold(held, isImmediate(0));
        sent++;
        counters.onPlaced(byteSize);
        return next;
    }

    private SendResult backPressured() {
        counters.onBackPressure();
        return SendResult.BACK_PRESSURED;
    }

    /** Elements of a write that are left for the payload. */
    private int runCountMax() {
        return capabilities.elementCountMax() - (placement.tail() ? 1 : 0);
    }

    private SlotSend nextSend() {
        return sends[layout.slot(sent)];
    }

    /**
     * Before the send starts, since its callback may offer the next tensor.
     *
     * @param held until it is written; null for what needs no hold
     * @throws IllegalStateException if that is closed; then no slot is taken
     */
    private SlotSend takeSlot(Tensor held, long byteSize) {
        requireNothingPlaced();
        SlotSend next = nextSend();
        next.hold(held, isImmediate(byteSize));
        return take(next, byteSize);
    }

    private SlotSend takeSlot(TensorView held) {
        requireNothingPlaced();
        SlotSend next = nextSend();
        next.hold(held);
        return take(next, layout.byteSize());
    }

    private SlotSend take(SlotSend next, long byteSize) {
        sent++;
        counters.onTransfer(byteSize);
        return next;
    }

    /** Whether so much is put at once: where the fabric can, and behind nothing that is under way still, so that tensors leave in their order. */
    private boolean isImmediate(long byteSize) {
        return isPutPossible && byteSize <= EngineQueuePair.IMMEDIATE_BYTE_SIZE_MAX
                && !sends[layout.slot(Math.max(sent - 1, 0))].busy.getAcquire();
    }

    /** @see dev.verbena.transfer.TensorSender#offerCopy(Tensor, TensorArena, SendCallback) */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        checkFits(tensor.type(), tensor.shape(), tensor);
        return offerCopy(copy -> copy.memory().copyFrom(tensor.memory()), staging, callback);
    }

    /** @see dev.verbena.transfer.TensorSender#offerCopy(TensorView, TensorArena, SendCallback) */
    public SendResult offerCopy(TensorView view, TensorArena staging, SendCallback callback) {
        checkFits(view.type(), view.shape(), view);
        return offerCopy(view::copyTo, staging, callback);
    }

    private SendResult offerCopy(Consumer<Tensor> copying, TensorArena staging, SendCallback callback) {
        if (!isReady()) {
            return backPressured();
        }
        Tensor copy = tryAllocate(staging);
        if (copy == null) {
            return backPressured();
        }
        try (copy) {
            copying.accept(copy);
            return offerCopied(copy, callback);
        }
    }

    /** What fills the arena may be what was offered before, of which whoever drives sees that it has left. */
    private Tensor tryAllocate(TensorArena arena) {
        Tensor tensor = arena.tryAllocate(type, shape);
        return tensor == null && peer.engines().progress() > 0 ? arena.tryAllocate(type, shape) : tensor;
    }

    /** @see dev.verbena.transfer.TensorSender#offerCopied */
    public SendResult offerCopied(Tensor copy, SendCallback callback) {
        SendResult result = offer(copy, callback);
        if (result == SendResult.SENT) {
            counters.onCopy(layout.byteSize());
        }
        return result;
    }

    /** The peer's name, for messages. */
    public String receiverName() {
        return peer.name();
    }

    /** Whether arrival shows in the tail's sequence word. */
    public boolean tail() {
        return placement.tail();
    }

    /** How the receiver sees arrivals, and why, as far as this side knows. */
    public String arrivalReason() {
        if (placement.tail()) {
            return "tail: both ends' queue pairs write in order";
        }
        boolean areInOrder = true;
        for (Lane lane : lanes) {
            areInOrder &= lane.queuePair.writesInOrder();
        }
        return "immediate: " + (areInOrder ? "the receiver wants it so"
                : "this end's queue pair does not promise in-order writes");
    }

    /**
     * No more offers. Waits until what was offered has left, so that its tensors are unpinned, and the receiver writes no acknowledgement
     * any more; then frees the control memory. From a callback, which must not wait, that is done soon.
     *
     * @throws IllegalStateException if a placed tensor is open, unless the connection has failed
     */
    public void close() {
        synchronized (this) {
            if (state == PlacementState.CLOSED) {
                return;
            }
            if (placed != null && placed.isAnyHandedOut() && peer.failure() == null) {
                throw new IllegalStateException("close of sender '" + name
                        + "' while a tensor that it placed in the receiver's memory is open; close that first");
            }
            state = PlacementState.CLOSED;
        }
        peer.engines().waitElsewhereIfDriving(this::takeLeave);
    }

    private void takeLeave() {
        if (!peer.engines().awaitUninterruptibly(this::hasLeft, SENDS_NS)) {
            peer.fail("sender '" + name + "' was closed, and what it offered has not left after "
                    + TimeUnit.NANOSECONDS.toSeconds(SENDS_NS) + " s");
        }
        boolean isFree = peer.takeLeave(Farewell.OF_SENDER, new Farewell(placement.receiverId(), id, sent),
                "sender '" + name + "'",
                overlay == null ? PeerConnection.FAREWELL_NS : SENDS_NS);
        directory.remove(this);
        if (overlay != null) {
            overlay.onEnd();
            // Whoever drives has heard of it then, and looks at the acknowledgement no more.
            peer.engines().awaitTurn(CLOSE_NS);
            overlay.onClosed();
        }
        peer.removeCloseListener(unmap);
        unmap();
        if (isFree) {
            acknowledgement.close();
        } else {
            peer.giveBack(acknowledgement);
        }
        tails.close();
        counters.close();
    }

    /** Slots of the receiver. */
    public int depth() {
        return layout.depth();
    }

    /** Everybody on the connection hears of it, the peer too. */
    public void failConnection(String cause) {
        peer.fail("sender '" + name + "': " + cause);
    }

    /** The receiver wants no more. @return whether nothing is on its way to it */
    boolean onReceiverClosed() {
        fail("peer " + peer.name() + " closed the receiver");
        boolean isQuiet = hasLeft() && (placed == null || !placed.isAnyHandedOut());
        if (isQuiet && overlay != null) {
            overlay.onEnd();
        }
        return isQuiet;
    }

    private boolean hasLeft() {
        for (SlotSend send : sends) {
            if (send.busy.get()) {
                return false;
            }
        }
        return true;
    }

    /** The word is 0 until the receiver writes it, which need not be before the first offer. */
    long acknowledgedAcquire() {
        return Math.max(Words.getAcquire(acknowledgement.memory(), 0), placement.acknowledged());
    }

    private void checkFits(ElementType offeredType, Shape offeredShape, Object offered) {
        if (offeredType != type || !offeredShape.equals(shape)) {
            throw new IllegalArgumentException("sender '" + name + "' sends " + type + shape + ", not " + offered);
        }
    }

    private void checkUsable() {
        if (state == PlacementState.CLOSED) {
            throw new IllegalStateException("sender '" + name + "' is closed");
        }
        String cause = failure != null ? failure : peer.failure();
        if (cause != null) {
            fail(cause);
            throw new TransferException("sender '" + name + "': " + cause);
        }
    }

    private synchronized void fail(String cause) {
        if (state.allows(PlacementState.FAILED)) {
            state = PlacementState.FAILED;
            failure = cause;
        }
    }

    /** A write that is timed, again and again. */
    private final class Probe extends Request {
        private static final int WRITES = 32;
        private final MemoryRegion region;
        private final long regionOffset;
        private final long byteSize;
        private long postedNs = peer.engines().nanoTime();
        private long bestNs = Long.MAX_VALUE;
        private String failure;
        private volatile int left = WRITES;

        Probe(MemoryRegion region, long regionOffset, long byteSize) {
            super(1);
            this.region = region;
            this.regionOffset = regionOffset;
            this.byteSize = byteSize;
            prepare();
        }

        private void prepare() {
            workRequest.reset(0, Opcode.WRITE).element(region, regionOffset, byteSize)
                    .remote(placement.address() + layout.slotOffset(sent), placement.rkey());
        }

        @Override
        protected void onDone(String cause) {
            long nowNs = peer.engines().nanoTime();
            bestNs = Math.min(bestNs, nowNs - postedNs);
            failure = cause;
            if (cause != null || left == 1) {
                left = 0;
                peer.engines().announce();
                return;
            }
            left--;
            prepare();
            postedNs = nowNs;
            queuePair.submit(this);
        }
    }

    /** A queue pair, and what of each tensor that is posted goes over it, in their order, whoever drives. */
    private final class Lane implements Runnable {
        private final EngineQueuePair queuePair;
        private final int index;
        /** Tensors of which that is posted, or lined up, or which were put at once. Written while driving. */
        private long begun = placement.sent();

        Lane(EngineQueuePair queuePair, int index) {
            this.queuePair = queuePair;
            this.index = index;
        }

        /** While driving: posts what was offered meanwhile, as one list. */
        @Override
        public void run() {
            long end = offered.getAcquire();
            while (begun < end) {
                SlotSend next = sends[layout.slot(begun)];
                boolean isPosted = next.posted == begun;
                begun++;
                if (isPosted) {
                    next.pieces[index].begin(queuePair, begun < end);
                }
            }
        }
    }

    /** The transfer into one slot; at most one at a time. */
    private final class SlotSend {
        private final int slot;
        /** One for each lane. */
        private final Piece[] pieces = new Piece[lanes.length];
        /** From the offer to the last completion. */
        private final TensorLease lease = new TensorLease();
        private boolean isHeld;
        private boolean isImmediate;
        private MemoryRegion region;
        /** Of the first byte, in the region. */
        private long regionOffset;
        /** Of the payload, which lies at the slot's end, or elsewhere. */
        private long byteSize;
        private boolean isElsewhere;
        /** There, as the next. */
        private long address;
        private long rkey;
        /** What to gather, counted from there; null of a whole tensor. */
        private ByteRuns runs;
        private SendCallback callback;
        private long sequence;
        /** The last sequence of which it was posted; written before {@link #offered} says so. */
        private long posted = -1;
        private long offeredNs;
        /** From the offer on the next two are written where tensors are at home. */
        private int piecesLeft;
        private String cause;
        /** Null while nobody records. */
        private TensorSentEvent event;
        private final AtomicBoolean busy = new AtomicBoolean();
        private final Runnable written = () -> finish(null);

        SlotSend(int slot) {
            this.slot = slot;
            for (int i = 0; i < pieces.length; i++) {
                pieces[i] = new Piece(this, i);
            }
        }

        /** On the offering thread, as is all until it is posted. What is written before the offer returns needs no hold. */
        void hold(Tensor tensor, boolean isImmediate) {
            this.isImmediate = isImmediate;
            if (tensor == null) {
                return;
            }
            if (!isImmediate) {
                lease.pin(tensor);
                isHeld = true;
            } else if (!tensor.isOpen()) {
                throw new IllegalStateException("use after free: sender '" + name + "' cannot send " + tensor
                        + ", which was closed before");
            }
        }

        void hold(TensorView view) {
            isImmediate = false;
            view.pin(lease);
            isHeld = true;
        }

        void startAt(long address, long rkey, Tensor tensor, long byteOffset, long byteSize, SendCallback callback,
                long sequence) {
            isElsewhere = true;
            this.address = address;
            this.rkey = rkey;
            start(tensor, tensor, byteOffset, byteSize, callback, sequence);
        }

        void start(TensorView view, ByteRuns runs, SendCallback callback, long sequence) {
            start(null, (MemoryRegion) view.slab(), view.slabOffset(), layout.byteSize(), runs, callback, sequence);
        }

        /** @param held as it was before; what is put after all by a request is held then */
        void start(Tensor held, Tensor tensor, long byteOffset, long byteSize, SendCallback callback, long sequence) {
            start(held, (MemoryRegion) tensor.slab(), tensor.slabOffset() + byteOffset, byteSize, null, callback,
                    sequence);
        }

        private void start(Tensor held, MemoryRegion region, long regionOffset, long byteSize, ByteRuns runs,
                SendCallback callback, long sequence) {
            this.byteSize = byteSize;
            this.callback = callback;
            this.sequence = sequence;
            this.offeredNs = TransferCounters.offeredNs(sequence, peer.engines());
            this.event = overlay == null ? TensorSentEvent.begun() : null;
            this.busy.set(true);
            // A receiver that closes looks for busy slots after it has said so: one of the two sees the other.
            if (failure != null) {
                finish(failure);
            } else if (isImmediate && put(region, regionOffset)) {
                if (callback == null) {
                    finish(null);
                } else {
                    // It is called while driving, whichever way the tensor goes, and so may not wait.
                    engine().execute(written);
                }
            } else {
                if (isImmediate) {
                    hold(held, false);
                }
                post(region, regionOffset, runs);
            }
        }

        /** @return false if it was not; what was written of it is written again */
        private boolean put(MemoryRegion region, long regionOffset) {
            return (byteSize == 0
                    || queuePair.tryPut(region.memory(), regionOffset, byteSize, remoteAddress(), remoteKey()))
                    && queuePair.tryPutWord(tailAddress(0), placement.rkey(), sequence + 1, tellsPolls);
        }

        private void post(MemoryRegion region, long regionOffset, ByteRuns runs) {
            this.region = region;
            this.regionOffset = regionOffset;
            this.runs = runs;
            piecesLeft = pieces.length;
            cause = null;
            posted = sequence;
            Words.setRelease(tails.memory(), tailEnd() - SlotLayout.WORD, sequence + 1);
            offered.setRelease(sequence + 1);
            for (Lane lane : lanes) {
                lane.queuePair.engine().execute(lane);
            }
        }

        /** Of a stripe's word, in the receiver's memory. */
        private long tailAddress(int stripe) {
            return placement.address() + layout.slotOffset(sequence) + layout.tailOffset(stripe);
        }

        /** In the memory of tails. */
        private long tailEnd() {
            return (slot + 1) * TAIL_BYTE_SIZE;
        }

        private void onPieceEnded(String pieceCause) {
            cause = cause == null ? pieceCause : cause;
            if (--piecesLeft > 0) {
                return;
            }
            if (cause != null) {
                fail(cause);
            }
            finish(cause);
        }

        private void finish(String cause) {
            if (cause == null) {
                counters.onFree(offeredNs, peer.engines());
            }
            if (event != null) {
                event.commit(name, peer.name(), layout.byteSize(), cause);
                event = null;
            }
            SendCallback listener = callback;
            region = null;
            runs = null;
            isElsewhere = false;
            callback = null;
            if (isHeld) {
                isHeld = false;
                lease.close();
            }
            busy.setRelease(false);
            if (listener != null) {
                listener.onComplete(cause == null ? null : new TransferException("sender '" + name + "': " + cause));
            }
        }

        /** What the runs have between two places. */
        private void addPayload(WorkRequest request, long begin, long end) {
            if (runs == null) {
                addElement(request, begin, end - begin);
                return;
            }
            for (long at = begin; at < end;) {
                long within = at % runs.byteSize();
                long piece = Math.min(runs.byteSize() - within, end - at);
                addElement(request, runs.byteOffset(at / runs.byteSize()) + within, piece);
                at += piece;
            }
        }

        private void addElement(WorkRequest request, long offset, long elementByteSize) {
            if (elementByteSize > 0) {
                request.element(region, regionOffset + offset, elementByteSize);
            }
        }

        /** Pad and sequence word, or less from their end. */
        private void addTail(WorkRequest request, long tailByteSize) {
            request.element((MemoryRegion) tails.slab(), tails.slabOffset() + tailEnd() - tailByteSize, tailByteSize);
        }

        /** Of the first byte, in the receiver's memory. */
        private long remoteAddress() {
            return isElsewhere ? address
                    : placement.address() + layout.slotOffset(sequence) + layout.byteSize() - byteSize;
        }

        /** Of that memory. */
        private long remoteKey() {
            return isElsewhere ? rkey : placement.rkey();
        }
    }

    /** What of a tensor goes over one lane, stripe 0 or another one: {@link SlotLayout}. */
    private final class Piece extends Stripe {
        private final SlotSend whole;
        private final int index;
        /** Among the stripes as they lie in the payload. */
        private final int place;
        private long end;

        Piece(SlotSend whole, int index) {
            super(capabilities.elementCountMax());
            this.whole = whole;
            this.index = index;
            place = index == 0 ? lanes.length - 1 : index - 1;
        }

        /** While driving; there may be nothing of it but its arrival. */
        void begin(EngineQueuePair over, boolean isAnotherComing) {
            end = Striping.begin(place + 1, lanes.length, whole.byteSize);
            go(over, engine(), Striping.begin(place, lanes.length, whole.byteSize),
                    hasWordApart() ? end + SlotLayout.WORD : end, isAnotherComing);
        }

        /** Whether its word does not lie right behind it, and so is a write of its own. */
        private boolean hasWordApart() {
            return (index > 0 || whole.isElsewhere) && placement.tail();
        }

        @Override
        protected long prepare(WorkRequest request, long byteOffset, long byteSize) {
            if (hasWordApart()) {
                return byteOffset == end ? prepareWord(request)
                        : preparePart(request, byteOffset,
                                Math.min(end - byteOffset, capabilities.messageByteSizeMax()));
            }
            return byteSize + layout.tailByteSize() <= capabilities.messageByteSizeMax()
                    ? prepareLast(request, byteOffset)
                    : preparePart(request, byteOffset,
                            Math.min(byteSize, capabilities.messageByteSizeMax() - layout.tailByteSize()));
        }

        private long preparePart(WorkRequest request, long byteOffset, long byteSize) {
            request.reset(0, Opcode.WRITE).remote(whole.remoteAddress() + byteOffset, whole.remoteKey());
            whole.addPayload(request, byteOffset, byteOffset + byteSize);
            return byteSize;
        }

        /** With what tells of the arrival. */
        private long prepareLast(WorkRequest request, long byteOffset) {
            long byteSize = preparePart(request, byteOffset, end - byteOffset);
            if (placement.tail()) {
                whole.addTail(request, layout.tailByteSize());
            } else {
                request.opcode = Opcode.WRITE_WITH_IMMEDIATE;
                request.immediate = placement.receiverId();
            }
            return byteSize;
        }

        /** Behind all before it, as writes are in order. */
        private long prepareWord(WorkRequest request) {
            request.reset(0, Opcode.WRITE).remote(whole.tailAddress(index), placement.rkey());
            whole.addTail(request, SlotLayout.WORD);
            return SlotLayout.WORD;
        }

        @Override
        protected void onEnded(String cause) {
            whole.onPieceEnded(cause);
        }
    }
}
