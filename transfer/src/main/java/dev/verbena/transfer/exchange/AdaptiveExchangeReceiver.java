package dev.verbena.transfer.exchange;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.PlacementProtocol;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;
import dev.verbena.transfer.protocol.TransferCounters;
import dev.verbena.transfer.protocol.Words;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * Receiving end of an exchange by (name, step): takes messages from their slots as they come, brings what they say together with what is
 * asked for, whichever is first, and reads what is not in the message itself ({@link ExchangeEntry}). What nobody has asked for lies in the
 * arena, if it was small, or with the sender.
 *
 * <pre>
 *   slot ── entry by entry ──► arrivals ◄── match by name and step ──► receives
 *                                             │ rendezvous
 *                                             ▼
 *                              stalled ── memory ──► read ── released ──► arrived
 * </pre>
 *
 * A message is given back to the sender when the last of its entries is taken; an entry that finds no room, in the arena or among the
 * {@link #UNMATCHED_MAX} that nobody has asked for, waits, and those behind it.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.ExchangeReceiver}. <b>Threading:</b> thread-safe; tables are guarded by this, messages are
 * taken and tensors read while driving. Under the lock neither slots are given back nor requests posted.
 */
public final class AdaptiveExchangeReceiver implements StaticPlacementReceiver.Overlay {
    /** Type and shape of a slot. */
    static final ElementType MESSAGE_TYPE = ElementType.UINT8;
    static final Shape MESSAGE_SHAPE = Shape.of(ExchangeEntry.MESSAGE_BYTE_SIZE);
    /** That have come and nobody has asked for. */
    public static final int UNMATCHED_MAX = 1024;
    /** That are asked for and have not come. */
    public static final int RECEIVES_MAX = 1024;
    /** Tensors that are read at a time. */
    private static final int FETCHES_MAX = 64;
    /** For reads that are flushed at the latest by then. */
    private static final long READS_NS = 30_000_000_000L;

    private final StaticPlacementReceiver messages;
    private final Engines engines;
    private final TensorArena arena;
    private final TransferCounters counters;
    private final long messageByteSizeMax;
    /** From which release words are written. */
    private final Tensor releases;
    private final Runnable process = this::process;

    /** Guarded by this, as are the next three. */
    private final MatchTable<ExchangeReceive> receives = new MatchTable<>();
    private final MatchTable<ExchangeArrival> arrivals = new MatchTable<>();
    /** Matched, to be read in this order. */
    private final ArrayDeque<ExchangeReceive> stalled = new ArrayDeque<>();
    private final ArrayDeque<ExchangeArrival> freeArrivals = new ArrayDeque<>();

    // Written while driving.
    private final ExchangeEntry entry = new ExchangeEntry();
    /** Of the message that entries are taken from; holds none between two messages. */
    private final TensorLease slot = new TensorLease();
    private boolean hasMessage;
    private long offset;
    /** Read from its message, and not delivered yet; null if there is none. */
    private ExchangeArrival undelivered;
    private boolean isProcessing;
    private boolean isBroken;
    private final ArrayDeque<Fetch> freeFetches = new ArrayDeque<>();
    private volatile EngineQueuePair queuePair;
    private int senders;
    private volatile int reading;
    /** Something waits for memory, or for room among those that nobody has asked for. */
    private volatile boolean isHeldUp;
    private volatile boolean isClosed;

    private AdaptiveExchangeReceiver(StaticPlacementReceiver messages, Engines engines, TensorArena arena,
            long messageByteSizeMax, TransferCounters counters) {
        this.messages = messages;
        this.counters = counters;
        this.engines = engines;
        this.arena = arena;
        this.messageByteSizeMax = messageByteSizeMax;
        releases = arena.allocate(ElementType.INT64, Shape.of(FETCHES_MAX));
        for (int i = 0; i < FETCHES_MAX; i++) {
            freeFetches.add(new Fetch(i));
        }
        messages.carry(this);
    }

    /**
     * With slots for {@code depth} messages in the arena, whose slabs must be registered with the device; makes it findable.
     *
     * @see dev.verbena.transfer.RdmaDevice#exchangeReceiver
     */
    public static AdaptiveExchangeReceiver create(Engines engines, ReceiverDirectory directory, String name,
            TensorArena arena, int depth, boolean tail, long messageByteSizeMax, TransferCounters counters) {
        StaticPlacementReceiver messages = new StaticPlacementReceiver(engines, directory, name, arena, MESSAGE_TYPE,
                MESSAGE_SHAPE, depth, tail, new TransferCounters());
        AdaptiveExchangeReceiver receiver = null;
        try {
            receiver = new AdaptiveExchangeReceiver(messages, engines, arena, messageByteSizeMax, counters);
            directory.announce(messages);
            return receiver;
        } catch (RuntimeException e) {
            messages.close();
            if (receiver != null) {
                receiver.releases.close();
            }
            throw e;
        }
    }

    /** @see dev.verbena.transfer.ExchangeReceiver#receive(String, long) */
    public ExchangeReceive receive(String name, long step) {
        AdaptiveExchangeSender.nameBytes(name);
        ExchangeReceive receive = new ExchangeReceive(this, name, step);
        synchronized (this) {
            if (isClosed) {
                throw new IllegalStateException(messages + " is closed");
            }
            ExchangeArrival arrival = arrivals.poll(name, step);
            if (arrival != null) {
                match(arrival, receive);
            } else if (failure() != null) {
                throw new TransferException(messages + ": " + failure());
            } else if (receives.size() == RECEIVES_MAX) {
                throw new IllegalStateException(messages + ": " + RECEIVES_MAX
                        + " tensors are asked for and have not come; wait for some, or cancel them, before " + receive);
            } else {
                receives.add(receive);
            }
        }
        goOn(receive);
        return receive;
    }

    private void goOn(ExchangeReceive receive) {
        if (queuePair != null && (isHeldUp || receive.state() == ExchangeReceive.State.STALLED)) {
            queuePair.engine().execute(process);
        }
    }

    /** Drives, and looks whether the connection still stands. */
    void look(ExchangeReceive receive) {
        engines.progress();
        goOn(receive);
        if (failure() != null && queuePair != null) {
            queuePair.engine().execute(this::failAll);
        }
    }

    private String failure() {
        PeerConnection sender = messages.sender();
        return sender == null ? null : sender.failure();
    }

    synchronized boolean cancel(ExchangeReceive receive) {
        if (receive.state() == ExchangeReceive.State.WAITING) {
            receives.remove(receive);
        } else if (stalled.remove(receive)) {
            arrivals.add(receive.arrival());
        }
        return receive.end();
    }

    synchronized String awaitsMemory(ExchangeReceive receive) {
        ExchangeArrival arrival = receive.arrival();
        return receive.state() != ExchangeReceive.State.STALLED ? null
                : messages + ": no room for " + receive + ", " + arrival.type + arrival.shape + " byteSize="
                        + arrival.shape.byteSize(arrival.type) + ", in " + arena;
    }

    /** Who sends here, for messages. */
    public String senderName() {
        return messages.senderName();
    }

    /** Waits until nothing is read any more, then tells the sender, and frees what nobody has asked for. What is asked for fails. */
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
        // Who is just taking messages has seen then that this is closed.
        engines.awaitTurn(READS_NS);
        if (!engines.awaitUninterruptibly(() -> reading == 0, READS_NS)) {
            messages.sender().fail(messages + " was closed, and what it reads has not come after "
                    + TimeUnit.NANOSECONDS.toSeconds(READS_NS) + " s");
            engines.awaitUninterruptibly(() -> reading == 0, READS_NS);
        }
        messages.close();
        slot.release();
        synchronized (this) {
            fail("the receiver was closed");
            for (ExchangeArrival each = arrivals.pollAny(); each != null; each = arrivals.pollAny()) {
                each.clear();
            }
            if (undelivered != null) {
                undelivered.clear();
            }
        }
        releases.close();
        counters.close();
        engines.announce();
    }

    /** What is asked for and has not come; what is being read ends by itself. Guarded by this. */
    private void fail(String cause) {
        for (ExchangeReceive each = receives.pollAny(); each != null; each = receives.pollAny()) {
            each.fail(failed(each, cause));
        }
        for (ExchangeReceive each = stalled.poll(); each != null; each = stalled.poll()) {
            each.fail(failed(each, cause));
        }
    }

    private TransferException failed(ExchangeReceive receive, String cause) {
        return new TransferException(messages + " " + receive + ": " + cause);
    }

    // ---- while driving ----

    @Override
    public PlacementProtocol protocol() {
        return PlacementProtocol.EXCHANGE;
    }

    @Override
    public void onConnected(EngineQueuePair from) {
        queuePair = from;
        int sender = ++senders;
        Engine engine = from.engine();
        engine.execute(() -> {
            entry.forget();
            counters.onPeer(messages.senderName());
            engine.watch(() -> {
                boolean isLatest = sender == senders;
                if (isLatest) {
                    process();
                }
                return isLatest && !isClosed && messages.sender() != null;
            });
        });
    }

    /** What it has told of and nobody has begun to read it takes with it. */
    @Override
    public boolean onSenderClosing(boolean isAllConsumed) {
        queuePair.engine().execute(process);
        if (!isAllConsumed || reading > 0) {
            return false;
        }
        synchronized (this) {
            for (ExchangeReceive each = stalled.poll(); each != null; each = stalled.poll()) {
                each.fail(failed(each, "the sender was closed before there was memory to read it to"));
            }
            dropUnread();
        }
        engines.announce();
        return true;
    }

    private void dropUnread() {
        List<ExchangeArrival> kept = new ArrayList<>();
        for (ExchangeArrival each = arrivals.pollAny(); each != null; each = arrivals.pollAny()) {
            if (!each.isRendezvous()) {
                kept.add(each);
            }
        }
        kept.forEach(arrivals::add);
    }

    /** The connection has failed: after all that had come before. */
    private void failAll() {
        process();
        synchronized (this) {
            if (failure() != null) {
                fail(failure());
                dropUnread();
            }
        }
        engines.announce();
    }

    private void process() {
        if (isProcessing || isClosed) {
            return;
        }
        isProcessing = true;
        readStalled();
        boolean isTaken = true;
        while (isTaken && !isClosed && (undelivered != null || readEntry())) {
            isTaken = deliver();
            if (isTaken) {
                undelivered = null;
                if (ExchangeEntry.isEnd(offset)) {
                    hasMessage = false;
                    slot.close();
                }
                readStalled();
            }
        }
        isProcessing = false;
        isHeldUp = !isTaken || hasStalled();
    }

    private synchronized boolean hasStalled() {
        return !stalled.isEmpty();
    }

    /** @return whether there is one */
    private boolean readEntry() {
        if (isBroken || !hasMessage && !messages.take(slot)) {
            return false;
        }
        try {
            offset = entry.read(slot.memory(), hasMessage ? offset : ExchangeEntry.begin(slot.memory()));
        } catch (TransferException e) {
            isBroken = true;
            messages.sender().fail(messages + ": " + e.getMessage());
            return false;
        }
        hasMessage = true;
        undelivered = takeFreeArrival();
        undelivered.take(entry);
        return true;
    }

    private synchronized ExchangeArrival takeFreeArrival() {
        return freeArrivals.isEmpty() ? new ExchangeArrival() : freeArrivals.poll();
    }

    /** @return false if there is no room for it */
    private boolean deliver() {
        if (undelivered.hasBytes() && undelivered.tensor == null && !copyIn()) {
            return false;
        }
        boolean isAwaited;
        synchronized (this) {
            ExchangeReceive receive = receives.poll(undelivered.name(), undelivered.step());
            isAwaited = receive != null;
            if (isAwaited) {
                match(undelivered, receive);
            } else if (arrivals.size() < UNMATCHED_MAX) {
                arrivals.add(undelivered);
            } else {
                return false;
            }
        }
        if (isAwaited) {
            engines.announce();
        }
        return true;
    }

    private boolean copyIn() {
        Tensor tensor = arena.tryAllocate(undelivered.type, undelivered.shape);
        if (tensor == null) {
            return false;
        }
        MemorySegment.copy(entry.payload(), 0, tensor.memory(), 0, entry.byteSize());
        undelivered.tensor = tensor;
        counters.onTransfer(tensor.byteSize());
        check(undelivered, tensor);
        return true;
    }

    private void check(ExchangeArrival arrival, Tensor tensor) {
        if (arrival.isChecked) {
            long sum = ExchangeChecksum.of(tensor.memory());
            if (sum != arrival.checksum) {
                arrival.failure = messages + " " + arrival + " is damaged: checksum=0x" + Long.toHexString(sum)
                        + " but the sender's is 0x" + Long.toHexString(arrival.checksum);
            }
        }
    }

    /** Guarded by this; also where it is asked for. */
    private void match(ExchangeArrival arrival, ExchangeReceive receive) {
        if (arrival.isRendezvous()) {
            receive.stall(arrival);
            stalled.add(receive);
        } else {
            receive.finish(arrival, arrival.tensor, senderName());
            arrival.tensor = null;
            freeArrivals.add(arrival);
        }
    }

    /** As many as there is memory for. */
    private void readStalled() {
        boolean isMore = true;
        while (isMore && !isClosed && !freeFetches.isEmpty()) {
            isMore = readNext(freeFetches.peek());
        }
    }

    private boolean readNext(Fetch fetch) {
        synchronized (this) {
            ExchangeReceive next = stalled.peek();
            if (next == null) {
                return false;
            }
            Tensor tensor = arena.tryAllocate(next.arrival().type, next.arrival().shape);
            if (tensor == null) {
                return false;
            }
            stalled.poll();
            next.read();
            fetch.take(next, tensor);
        }
        freeFetches.poll();
        reading++;
        fetch.start();
        return true;
    }

    /** Reads one tensor, in as many requests as the device's largest message makes necessary; then tells the sender. */
    private final class Fetch extends Request {
        private final int index;
        private ExchangeReceive receive;
        private ExchangeArrival arrival;
        private Tensor tensor;
        private long cursor;
        private boolean isReleasing;

        Fetch(int index) {
            super(1);
            this.index = index;
        }

        void take(ExchangeReceive receive, Tensor tensor) {
            this.receive = receive;
            this.tensor = tensor;
            arrival = receive.arrival();
            cursor = 0;
            isReleasing = false;
        }

        void start() {
            prepareChunk();
            queuePair.submit(this);
        }

        private void prepareChunk() {
            long byteSize = Math.min(tensor.byteSize() - cursor, messageByteSizeMax);
            workRequest.reset(0, Opcode.READ)
                    .element((MemoryRegion) tensor.slab(), tensor.slabOffset() + cursor, byteSize)
                    .remote(arrival.address + cursor, arrival.rkey);
            cursor += byteSize;
        }

        private void prepareRelease() {
            long at = (long) index * ExchangeEntry.WORD;
            Words.setRelease(releases.memory(), at, arrival.releaseWord);
            workRequest.reset(0, Opcode.WRITE)
                    .element((MemoryRegion) releases.slab(), releases.slabOffset() + at, ExchangeEntry.WORD)
                    .remote(arrival.releaseAddress, arrival.releaseRkey);
        }

        @Override
        protected void onDone(String cause) {
            if (cause == null && !isReleasing && cursor < tensor.byteSize()) {
                prepareChunk();
                queuePair.submit(this);
            } else if (cause == null && !isReleasing) {
                check(arrival, tensor);
                counters.onTransfer(tensor.byteSize());
                finish();
                isReleasing = true;
                prepareRelease();
                queuePair.submit(this);
            } else {
                if (!isReleasing) {
                    arrival.failure = messages + " " + receive + ": " + cause;
                    finish();
                }
                end();
            }
        }

        private void finish() {
            synchronized (AdaptiveExchangeReceiver.this) {
                receive.finish(arrival, tensor, senderName());
            }
            receive = null;
            tensor = null;
            engines.announce();
        }

        private void end() {
            synchronized (AdaptiveExchangeReceiver.this) {
                freeArrivals.add(arrival);
            }
            arrival = null;
            freeFetches.add(this);
            reading--;
            process();
        }
    }
}
