package dev.verbena.transfer.exchange;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.ChunkHandler;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.protocol.ArrivalChoice;
import dev.verbena.transfer.protocol.LandingPlaces;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.PlacementProtocol;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;
import dev.verbena.transfer.protocol.TransferCounters;

/**
 * Receiving end of an exchange by (name, step): takes messages from their slots as they come, brings what they say together with what is
 * asked for, whichever is first, and reads what is not in the message itself ({@link ExchangeEntry}, {@link TensorRead}). What nobody has
 * asked for lies in the arena, if it was small, or with the sender, who may withdraw it.
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
public final class AdaptiveExchangeReceiver implements StaticPlacementReceiver.Overlay, TensorRead.Owner {
    /** Type and shape of a slot. */
    static final ElementType MESSAGE_TYPE = ElementType.UINT8;
    static final Shape MESSAGE_SHAPE = Shape.of(ExchangeEntry.MESSAGE_BYTE_SIZE);
    /** That have come and nobody has asked for. */
    public static final int UNMATCHED_MAX = 1024;
    /** That are asked for and have not come. */
    public static final int RECEIVES_MAX = 1024;
    /** Tensors that are read at a time. */
    private static final int READS_MAX = 64;
    /** For reads that are flushed at the latest by then. */
    private static final long READS_NS = 30_000_000_000L;

    private final StaticPlacementReceiver messages;
    private final Engines engines;
    private final LandingPlaces places;
    private final TransferCounters counters;
    private final TransferCounters.Tally tally;
    private final ChunkSize chunkSize;
    private final Striping striping;
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
    /** For the next one: taken along when the lock was held anyway. May be null. */
    private ExchangeArrival spare;
    private boolean isProcessing;
    /** Whether something has come for who waits, and they were not told. */
    private boolean isNews;
    private boolean isBroken;
    private final ArrayDeque<TensorRead> freeReads = new ArrayDeque<>();
    /** Whose senders are to be told that nobody will read them. */
    private final ArrayDeque<ExchangeArrival> withdrawn = new ArrayDeque<>();
    /** Over which tensors are read, and the first of which they are at home on; none before there was a sender. */
    private volatile List<EngineQueuePair> queuePairs = List.of();
    private int senders;
    private volatile int reading;
    /** Something waits for memory, or for room among those that nobody has asked for. */
    private volatile boolean isHeldUp;
    private volatile boolean isClosed;

    private AdaptiveExchangeReceiver(StaticPlacementReceiver messages, Engines engines, TensorArena arena,
            long messageByteSizeMax, Striping striping, TransferCounters counters) {
        this.messages = messages;
        this.counters = counters;
        tally = counters.new Tally();
        this.engines = engines;
        places = new LandingPlaces(arena);
        chunkSize = new ChunkSize(messageByteSizeMax);
        this.striping = striping;
        releases = arena.allocate(ElementType.INT64, Shape.of(READS_MAX));
        for (int i = 0; i < READS_MAX; i++) {
            freeReads.add(new TensorRead(this, chunkSize, striping, releases, i));
        }
        messages.carry(this);
    }

    /**
     * With slots for {@code depth} messages in the arena, whose slabs must be registered with the device; makes it findable.
     *
     * @see dev.verbena.transfer.RdmaDevice#exchangeReceiver
     */
    public static AdaptiveExchangeReceiver create(Engines engines, ReceiverDirectory directory, String name,
            TensorArena arena, int depth, ArrivalChoice choice, long messageByteSizeMax, Striping striping,
            TransferCounters counters) {
        StaticPlacementReceiver messages = new StaticPlacementReceiver(engines, directory, name, arena, MESSAGE_TYPE,
                MESSAGE_SHAPE, depth, choice, new TransferCounters());
        AdaptiveExchangeReceiver receiver = null;
        try {
            receiver = new AdaptiveExchangeReceiver(messages, engines, arena, messageByteSizeMax, striping, counters);
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

    /** One that asks for nothing yet; the handler may be null. */
    public ExchangeReceive receive(ChunkHandler handler) {
        return new ExchangeReceive(this, handler);
    }

    /** @see dev.verbena.transfer.ExchangeReceiver#receive(String, long) */
    void ask(ExchangeReceive receive, String name, long step) {
        AdaptiveExchangeSender.checkName(name);
        ExchangeArrival arrival;
        boolean isHandled = false;
        synchronized (this) {
            if (isClosed) {
                throw new IllegalStateException(messages + " is closed");
            }
            arrival = arrivals.peek(name, step);
            if (arrival == null && failure() != null) {
                throw new TransferException(messages + ": " + failure());
            }
            if (arrival == null && receives.size() == RECEIVES_MAX) {
                throw new IllegalStateException(messages + ": " + RECEIVES_MAX
                        + " tensors are asked for and have not come; wait for some, or cancel them, before '" + name
                        + "' step=" + step);
            }
            receive.begin(name, step);
            if (arrival == null) {
                receives.add(receive);
            } else {
                isHandled = match(arrivals.poll(name, step), receive);
            }
        }
        if (isHandled) {
            handOn(arrival);
        }
        goOn(receive);
    }

    private void goOn(ExchangeReceive receive) {
        if (!queuePairs.isEmpty() && (isHeldUp || receive.state() == ExchangeReceive.State.STALLED)) {
            home().execute(process);
        }
    }

    /** Drives, and looks whether the connection still stands. */
    void look(ExchangeReceive receive) {
        engines.progress();
        goOn(receive);
        if (failure() != null && !queuePairs.isEmpty()) {
            home().execute(this::failAll);
        }
    }

    private Engine home() {
        return queuePairs.getFirst().engine();
    }

    private String failure() {
        PeerConnection sender = messages.sender();
        return sender == null ? null : sender.failure();
    }

    synchronized boolean cancel(ExchangeReceive receive) {
        switch (receive.state()) {
            case WAITING -> receives.remove(receive);
            case STALLED -> {
                stalled.remove(receive);
                receive.arrival().receive = null;
                arrivals.add(receive.arrival());
            }
            case READING -> receive.arrival().receive = null;
            case IDLE, ARRIVED, FAILED -> {
            }
        }
        return receive.end();
    }

    boolean isHeldUp() {
        return isHeldUp;
    }

    synchronized String awaitsMemory(ExchangeReceive receive) {
        ExchangeArrival arrival = receive.arrival();
        return receive.state() != ExchangeReceive.State.STALLED ? null
                : messages + ": no room for " + receive + ", " + arrival.type + arrival.shape + " byteSize="
                        + arrival.byteSize + ", in " + places;
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
        places.close();
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
    public void onConnected(List<EngineQueuePair> from) {
        queuePairs = from;
        int sender = ++senders;
        Engine engine = home();
        engine.execute(() -> {
            entry.forget();
            counters.onPeer(messages.senderName());
            counters.onArrivalChosen(messages.arrivalReason(), striping.stripeCount(Long.MAX_VALUE, from.size()));
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
        home().execute(process);
        if (!isAllConsumed || reading > 0) {
            return false;
        }
        synchronized (this) {
            for (ExchangeReceive each = stalled.poll(); each != null; each = stalled.poll()) {
                each.fail(failed(each, "the sender was closed before there was memory to read it to"));
            }
            dropUnread();
        }
        withdrawn.clear();
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
        isNews = false;
        startReads();
        boolean isTaken = true;
        while (isTaken && !isClosed && (undelivered != null || readEntry())) {
            isTaken = deliver();
            if (isTaken) {
                undelivered = null;
                if (ExchangeEntry.isEnd(offset)) {
                    hasMessage = false;
                    slot.close();
                    tellNews();
                }
                startReads();
            }
        }
        isProcessing = false;
        isHeldUp = !isTaken || hasStalled();
        tellNews();
    }

    /** Of a message at once: those who wait look once. */
    private void tellNews() {
        tally.tell();
        if (isNews) {
            isNews = false;
            engines.announce();
        }
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
        undelivered = spare != null ? spare : takeFreeArrival();
        spare = null;
        undelivered.take(entry);
        return true;
    }

    private synchronized ExchangeArrival takeFreeArrival() {
        return freeArrivals.isEmpty() ? new ExchangeArrival() : freeArrivals.poll();
    }

    /** @return false if there is no room for it */
    private boolean deliver() {
        if (undelivered.kind == ExchangeEntry.Kind.WITHDRAWAL) {
            withdraw(undelivered);
            return true;
        }
        if (undelivered.hasBytes() && undelivered.place == null && !copyIn()) {
            return false;
        }
        boolean isHandled = false;
        synchronized (this) {
            ExchangeReceive receive = receives.poll(undelivered.name(), undelivered.step());
            if (receive != null) {
                isHandled = match(undelivered, receive);
                isNews = true;
            } else if (arrivals.size() < UNMATCHED_MAX) {
                arrivals.add(undelivered);
            } else {
                // Here already: who asks next is to see it, and takes this lock before he looks.
                isHeldUp = true;
                return false;
            }
            spare = freeArrivals.poll();
        }
        if (isHandled) {
            handOn(undelivered);
        }
        return true;
    }

    private boolean copyIn() {
        undelivered.place = places.tryTake(undelivered.type, undelivered.shape);
        if (undelivered.place == null) {
            return false;
        }
        entry.copyPayloadTo(undelivered.place.memory());
        tally.onTransfer(undelivered.byteSize);
        check(undelivered);
        return true;
    }

    private void check(ExchangeArrival arrival) {
        if (arrival.isChecked) {
            long sum = ExchangeChecksum.of(arrival.place.memory());
            if (sum != arrival.checksum) {
                arrival.failure = messages + " " + arrival + " is damaged: checksum=0x" + Long.toHexString(sum)
                        + " but the sender's is 0x" + Long.toHexString(arrival.checksum);
            }
        }
    }

    /** What it names, unless it is being read, or was. */
    private synchronized void withdraw(ExchangeArrival withdrawal) {
        ExchangeArrival found = arrivals.peek(withdrawal.name(), withdrawal.step());
        while (found != null && !found.isWithdrawnBy(withdrawal)) {
            found = arrivals.next(found);
        }
        if (found != null) {
            arrivals.remove(found);
            withdrawn.add(found);
        } else {
            unstall(withdrawal);
        }
        freeArrivals.add(withdrawal);
    }

    /** Who asks for it goes on asking. */
    private void unstall(ExchangeArrival withdrawal) {
        for (ExchangeReceive each : stalled) {
            if (each.arrival().isWithdrawnBy(withdrawal)) {
                withdrawn.add(each.arrival());
                stalled.remove(each);
                each.unstall();
                receives.add(each);
                return;
            }
        }
    }

    /**
     * Guarded by this; also where it is asked for. What came in its message has arrived then.
     *
     * @return whether a handler has to be told before it has: by {@link #handOn}, without the lock
     */
    private boolean match(ExchangeArrival arrival, ExchangeReceive receive) {
        arrival.receive = receive;
        if (arrival.isRendezvous()) {
            receive.stall(arrival);
            stalled.add(receive);
            return false;
        }
        if (receive.handler() != null) {
            receive.read(arrival);
            return true;
        }
        finish(arrival);
        recycle(arrival);
        return false;
    }

    /** What came in a message, whole. */
    private void handOn(ExchangeArrival arrival) {
        if (arrival.kind == ExchangeEntry.Kind.EAGER && arrival.failure == null && arrival.byteSize > 0) {
            onLanded(arrival, 0, arrival.byteSize);
        }
        finish(arrival);
        recycle(arrival);
    }

    private synchronized void finish(ExchangeArrival arrival) {
        LandingPlaces.Place place = arrival.place;
        ExchangeReceive receive = arrival.receive;
        arrival.place = null;
        arrival.receive = null;
        if (receive != null) {
            receive.finish(arrival, place, senderName());
        } else if (place != null) {
            place.drop();
        }
    }

    private synchronized void recycle(ExchangeArrival arrival) {
        freeArrivals.add(arrival);
    }

    /** As many as there is memory for. */
    private void startReads() {
        while (!freeReads.isEmpty() && !isClosed && (refuseNext() || readNext())) {
            // One by one.
        }
    }

    /** @return whether something was withdrawn */
    private boolean refuseNext() {
        ExchangeArrival next = withdrawn.poll();
        if (next != null) {
            reading++;
            freeReads.poll().refuse(queuePairs, next);
        }
        return next != null;
    }

    /** @return whether one is asked for, and there was memory for it */
    private boolean readNext() {
        ExchangeArrival next;
        synchronized (this) {
            ExchangeReceive receive = stalled.peek();
            if (receive == null) {
                return false;
            }
            next = receive.arrival();
            next.place = places.tryTake(next.type, next.shape);
            if (next.place == null) {
                return false;
            }
            stalled.poll();
            receive.read(next);
        }
        reading++;
        freeReads.poll().start(queuePairs, next);
        return true;
    }

    // ---- how far reads are ----

    @Override
    public long nanoTime() {
        return engines.nanoTime();
    }

    @Override
    public void onLanded(ExchangeArrival arrival, long byteOffset, long byteSize) {
        ChunkHandler handler;
        synchronized (this) {
            handler = arrival.receive == null ? null : arrival.receive.handler();
        }
        if (handler == null || arrival.failure != null) {
            return;
        }
        try {
            handler.onChunk(arrival.type, arrival.shape, byteOffset,
                    arrival.place.memory().asSlice(byteOffset, byteSize).asReadOnly());
        } catch (RuntimeException | Error e) {
            arrival.failure = messages + " " + arrival + ": its handler failed: " + e;
        }
    }

    @Override
    public void onRead(ExchangeArrival arrival, String cause) {
        if (cause != null) {
            arrival.failure = messages + " " + arrival + ": " + cause;
        } else {
            counters.onTransfer(arrival.byteSize);
            if (arrival.failure == null) {
                check(arrival);
            }
        }
        finish(arrival);
        engines.announce();
    }

    @Override
    public void onIdle(TensorRead read, ExchangeArrival arrival) {
        recycle(arrival);
        freeReads.add(read);
        reading--;
        process();
    }
}
