package dev.verbena.transfer.exchange;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.Watch;
import dev.verbena.transfer.protocol.ControlMemory;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.PlacementProtocol;
import dev.verbena.transfer.protocol.PlacementQuery;
import dev.verbena.transfer.protocol.SenderDirectory;
import dev.verbena.transfer.protocol.SlotLayout;
import dev.verbena.transfer.protocol.StaticPlacementSender;
import dev.verbena.transfer.protocol.TransferCounters;
import dev.verbena.transfer.protocol.Words;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Sending end of an exchange by (name, step). Messages are placed statically, so that there are never more under way than the receiver has
 * slots: those are the credits. What waits for one, came while the engine was busy, or is held, goes in one message, in order (AR-gRPC,
 * coalescing).
 * A small tensor is in the message itself (eager); of a larger one it says where it lies (rendezvous), and the tensor stays pinned until the
 * receiver, which reads it whenever it is asked for, has written its release word.
 *
 * <pre>
 *   waiting ── credit ──► eager: in a message ── written ──► ended
 *                         rendezvous: told of ── release word ──► ended
 *                                             ── withdrawn before it is read ──► failed
 *                                             ── end: nobody reads any more ──► failed
 * </pre>
 *
 * Always: {@code pending == waiting + in messages + told of <= PENDING_MAX}.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.ExchangeSender}. <b>Threading:</b> offers by any thread; the rest while driving.
 */
public final class AdaptiveExchangeSender implements StaticPlacementSender.Overlay {
    /** Sends that have not ended. */
    public static final int PENDING_MAX = 1024;
    /** What a message has room for, of a small tensor, of bytes, of a failure's words. */
    public static final int BYTES_MAX = ExchangeEntry.PAYLOAD_BYTE_SIZE_MAX;
    /** Instead of a size: the largest that is eager is measured. */
    public static final int MEASURED = -1;
    /** Of a {@code char}. */
    private static final int UTF_8_BYTES_MAX = 3;
    /** Of no moment. */
    private static final long UNTIMED = Long.MIN_VALUE;
    private static final String WITHDRAWN = "was withdrawn before the peer had asked for it";
    /** For what waits for credits; a receiver that takes nothing for so long is cut off by then. */
    private static final long SENDS_NS = 30_000_000_000L;

    /** Of an entry, with whatever name. */
    private static final long WITHDRAWAL_BYTE_SIZE_MAX = ExchangeEntry.byteSize(ExchangeEntry.NAME_BYTE_SIZE_MAX, 0,
            ExchangeEntry.NAMED, ExchangeEntry.PLACE_BYTE_SIZE) + ExchangeEntry.WORD;

    /** What the receiver was told of a name. */
    private static final class Told {
        private final int id;
        /** Whether the receiver knows it by its id. */
        private boolean isNamed;
        private ElementType type;
        private Shape shape;

        Told(int id) {
            this.id = id;
        }

        boolean isOf(ExchangeSend send) {
            return type == send.type && send.shape.equals(shape);
        }
    }

    private final StaticPlacementSender messages;
    private final Engine engine;
    private final TransferCounters counters;
    private final TransferCounters.Tally tally;
    private final Tensor messageMemory;
    private final EagerThreshold threshold;
    private final Message[] ring;
    private final Tensor releaseWords;
    private final Runnable pump = this::pump;
    private final Watch watch = this::look;
    private final Runnable onEnd = this::onEnd;
    private final ExchangeCounters exchangeCounters = new ExchangeCounters();

    /** In UTF-8, of those that were sent under; as many as the receiver is told of by id. */
    private final ConcurrentHashMap<String, byte[]> nameBytes = new ConcurrentHashMap<>();

    /** Guarded by this, as are the next five. */
    private final ArrayDeque<ExchangeSend> waiting = new ArrayDeque<>();
    private final ArrayDeque<ExchangeSend> free = new ArrayDeque<>();
    private int pending;
    /** What the entries of all that waits take at least. */
    private long waitingByteSize;
    /** Whether what waits goes in full messages only. */
    private boolean isHeld;
    private boolean isClosed;

    // Written while driving.
    private final Map<String, Told> names = new HashMap<>();
    private final Told untold = new Told(ExchangeEntry.NAMES_MAX);
    /** By release word; null where it is free. */
    private final ExchangeSend[] told = new ExchangeSend[PENDING_MAX];
    private final long[] rounds = new long[PENDING_MAX];
    /** The first {@code toldCount} are in use, the others free. */
    private final int[] words = new int[PENDING_MAX];
    private int toldCount;
    /** Of those that were told of, to be told that they are not to be read. */
    private final ArrayDeque<ExchangeSend> withdrawals = new ArrayDeque<>();
    private boolean isPumping;
    private boolean isWatched;
    private boolean isEnded;

    /** Over a sender of messages, which it closes. */
    private AdaptiveExchangeSender(StaticPlacementSender messages, ControlMemory memory, TransferCounters counters,
            int eagerByteSizeMax, boolean movesByCpu) {
        this.messages = messages;
        this.engine = messages.engine();
        this.counters = counters;
        tally = counters.new Tally();
        ring = new Message[messages.depth()];
        messageMemory = memory.messages().allocate(ElementType.UINT8,
                Shape.of(ring.length, ExchangeEntry.MESSAGE_BYTE_SIZE));
        try {
            releaseWords = memory.words().allocateZeroed(ElementType.INT64, Shape.of(PENDING_MAX));
        } catch (RuntimeException e) {
            messageMemory.close();
            throw e;
        }
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Message(Tensor.over(messageMemory.slab(),
                    messageMemory.slabOffset() + (long) i * ExchangeEntry.MESSAGE_BYTE_SIZE,
                    AdaptiveExchangeReceiver.MESSAGE_TYPE, AdaptiveExchangeReceiver.MESSAGE_SHAPE, () -> {}));
        }
        for (int i = 0; i < PENDING_MAX; i++) {
            words[i] = i;
        }
        try {
            threshold = eagerByteSizeMax == MEASURED
                    ? EagerThreshold.measured(messages.measureWriteNs(ring[0].memory, ExchangeEntry.WORD),
                            EagerThreshold.copyNs(messages.peer().engines()::nanoTime), movesByCpu)
                    : EagerThreshold.configured(eagerByteSizeMax);
        } catch (RuntimeException e) {
            messages.peer().giveBack(releaseWords);
            messageMemory.close();
            throw e;
        }
        messages.carry(this);
        messages.peer().addCloseListener(onEnd);
    }

    /** Waits until the peer has a receiver of that name; what counts are the tensors, not the messages. */
    public static AdaptiveExchangeSender connect(SenderDirectory directory, String name, PeerConnection peer,
            int queuePairIndex, ControlMemory memory, Capabilities capabilities, TransferCounters counters,
            int eagerByteSizeMax, Duration timeout) {
        StaticPlacementSender messages = PlacementQuery.sender(PlacementProtocol.EXCHANGE, directory, name,
                AdaptiveExchangeReceiver.MESSAGE_TYPE, AdaptiveExchangeReceiver.MESSAGE_SHAPE, peer, queuePairIndex,
                Striping.none(), memory, capabilities, new TransferCounters(), "", timeout);
        counters.onArrivalChosen(messages.arrivalReason());
        try {
            return new AdaptiveExchangeSender(messages, memory, counters, eagerByteSizeMax,
                    capabilities.movesByCpu());
        } catch (RuntimeException e) {
            messages.close();
            throw e;
        }
    }

    /** Up to which size tensors go in messages, and why. */
    public int eagerByteSizeMax() {
        return threshold.byteSize();
    }

    /** @see #eagerByteSizeMax */
    public String choice() {
        return threshold.reason();
    }

    /** @see dev.verbena.transfer.ExchangeSender#isReady */
    public boolean isReady() {
        checkUsable();
        messages.peer().engines().progress();
        return hasRoom();
    }

    private synchronized boolean hasRoom() {
        if (isClosed) {
            throw new IllegalStateException(messages + " is closed");
        }
        return pending < PENDING_MAX;
    }

    /** @see dev.verbena.transfer.ExchangeSender#offer */
    public SendResult offer(String name, long step, Tensor tensor, boolean isReadable, boolean isChecked,
            SendCallback callback) {
        byte[] nameBytes = checked(name);
        boolean isEager = tensor.byteSize() <= threshold.byteSize() || !isReadable;
        long checksum = isChecked ? ExchangeChecksum.of(tensor.memory()) : 0;
        boolean isToGo;
        synchronized (this) {
            ExchangeSend send = take(name, nameBytes, step, callback);
            if (send == null) {
                return SendResult.BACK_PRESSURED;
            }
            send.kind = isEager ? ExchangeEntry.Kind.EAGER : ExchangeEntry.Kind.RENDEZVOUS;
            send.isChecked = isChecked;
            send.checksum = checksum;
            try {
                send.take(tensor);
            } catch (IllegalStateException e) {
                giveBack(send);
                throw e;
            }
            isToGo = line(send);
        }
        return go(isToGo);
    }

    /** The same, of bytes that mean something to the program alone. */
    public SendResult offerBytes(String name, long step, byte[] bytes, boolean isChecked, SendCallback callback) {
        byte[] nameBytes = checked(name);
        byte[] own = bytes.clone();
        long checksum = isChecked ? ExchangeChecksum.of(MemorySegment.ofArray(own)) : 0;
        return offerBytes(name, nameBytes, step, ExchangeEntry.Kind.BYTES, own, isChecked, checksum, callback);
    }

    /** There is no value; or, with words, there should be one, and its sender has failed. */
    public SendResult offerNothing(String name, long step, String failure, SendCallback callback) {
        byte[] nameBytes = checked(name);
        return failure == null
                ? offerBytes(name, nameBytes, step, ExchangeEntry.Kind.DEAD, new byte[0], false, 0, callback)
                : offerBytes(name, nameBytes, step, ExchangeEntry.Kind.ERROR, bounded(failure), false, 0, callback);
    }

    /** @param bytes which nobody changes */
    private SendResult offerBytes(String name, byte[] nameBytes, long step, ExchangeEntry.Kind kind, byte[] bytes,
            boolean isChecked, long checksum, SendCallback callback) {
        boolean isToGo;
        synchronized (this) {
            ExchangeSend send = take(name, nameBytes, step, callback);
            if (send == null) {
                return SendResult.BACK_PRESSURED;
            }
            send.kind = kind;
            send.isChecked = isChecked;
            send.checksum = checksum;
            send.take(bytes);
            isToGo = line(send);
        }
        return go(isToGo);
    }

    private static byte[] bounded(String words) {
        byte[] bytes = words.getBytes(StandardCharsets.UTF_8);
        int byteSize = Math.min(bytes.length, BYTES_MAX);
        // Not in the midst of a character.
        while (byteSize < bytes.length && (bytes[byteSize] & 0xc0) == 0x80) {
            byteSize--;
        }
        return java.util.Arrays.copyOf(bytes, byteSize);
    }

    private byte[] checked(String name) {
        checkUsable();
        byte[] known = nameBytes.get(name);
        if (known != null) {
            return known;
        }
        byte[] bytes = nameBytes(name);
        if (nameBytes.size() < ExchangeEntry.NAMES_MAX) {
            nameBytes.put(name, bytes);
        }
        return bytes;
    }

    private void checkUsable() {
        String failure = messages.failure();
        if (failure != null) {
            throw new TransferException(messages + ": " + failure);
        }
    }

    private static byte[] nameBytes(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > ExchangeEntry.NAME_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("name of " + bytes.length + " bytes; give 1 to "
                    + ExchangeEntry.NAME_BYTE_SIZE_MAX);
        }
        return bytes;
    }

    /** @throws IllegalArgumentException if no tensor can be called so */
    static void checkName(String name) {
        if (name.isEmpty() || name.length() > ExchangeEntry.NAME_BYTE_SIZE_MAX / UTF_8_BYTES_MAX) {
            nameBytes(name);
        }
    }

    /**
     * Whoever has not taken it is not to have it: what waits ends at once, what the receiver was told of when it has said whether it reads it.
     *
     * @param callback of that send alone; null for all of that name and step
     */
    public void withdraw(String name, long step, SendCallback callback) {
        engine.execute(() -> withdrawNow(name, step, callback));
    }

    /** Guarded by this. */
    private ExchangeSend take(String name, byte[] nameBytes, long step, SendCallback callback) {
        if (isClosed) {
            throw new IllegalStateException(messages + " is closed");
        }
        if (pending == PENDING_MAX) {
            return null;
        }
        pending++;
        ExchangeSend send = free.isEmpty() ? new ExchangeSend() : free.poll();
        send.name = name;
        send.nameBytes = nameBytes;
        send.step = step;
        send.callback = callback;
        return send;
    }

    /** Guarded by this. @return whether it, or what waits with it, goes now: by {@link #go}, without the lock */
    private boolean line(ExchangeSend send) {
        waiting.add(send);
        waitingByteSize += send.entryByteSizeMin();
        return isAnyToGo();
    }

    private SendResult go(boolean isToGo) {
        if (isToGo) {
            engine.execute(pump);
        }
        return SendResult.SENT;
    }

    /** Guarded by this. */
    private boolean isAnyToGo() {
        return !waiting.isEmpty() && (!isHeld || waitingByteSize >= ExchangeEntry.MESSAGE_BYTE_SIZE);
    }

    /** @see dev.verbena.transfer.ExchangeSender#hold */
    public synchronized void hold() {
        isHeld = true;
    }

    /** @see dev.verbena.transfer.ExchangeSender#waitingCount */
    public synchronized int waitingCount() {
        return waiting.size();
    }

    /** @see dev.verbena.transfer.ExchangeSender#flush */
    public void flush() {
        synchronized (this) {
            if (!isHeld) {
                return;
            }
            isHeld = false;
        }
        engine.execute(pump);
    }

    private synchronized void giveBack(ExchangeSend send) {
        pending--;
        free.add(send);
    }

    /** The peer's name, for messages. */
    public String receiverName() {
        return messages.receiverName();
    }

    /** What it has done so far. */
    public ExchangeCounters counters() {
        return exchangeCounters;
    }

    /** No more offers. Waits until what was offered is told, and what is being read has been; frees the control memory. */
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
        }
        flush();
        messages.peer().engines().waitElsewhereIfDriving(() -> {
            messages.peer().engines().awaitUninterruptibly(() -> messages.failure() != null || isAllTold(), SENDS_NS);
            messages.close();
        });
    }

    private synchronized boolean isAllTold() {
        return waiting.isEmpty();
    }

    @Override
    public void onEnd() {
        engine.execute(() -> {
            look();
            isEnded = true;
            pump();
            while (toldCount > 0) {
                release(toldCount - 1, cause());
            }
            withdrawals.clear();
        });
    }

    private String cause() {
        return messages.failure() != null ? messages.failure()
                : "the sender was closed before the peer had asked for it";
    }

    @Override
    public void onClosed() {
        messages.peer().removeCloseListener(onEnd);
        messageMemory.close();
        messages.peer().giveBack(releaseWords);
        counters.close();
    }

    // ---- while driving ----

    /** Looks for credits and release words. @return whether there is anything to look for */
    private boolean look() {
        for (int i = toldCount - 1; i >= 0; i--) {
            if (i < toldCount) {
                look(i);
            }
        }
        pump();
        isWatched = !isEnded && (toldCount > 0 || !isAllTold());
        return isWatched;
    }

    /** Words of an earlier round, and those that nothing was written to, are none of these. */
    private void look(int index) {
        int word = words[index];
        long value = isEnded ? 0 : Words.getAcquire(releaseWords.memory(), (long) word * ExchangeEntry.WORD);
        if (value == ExchangeEntry.releaseWord(rounds[word], ExchangeEntry.READ)) {
            release(index, null);
        } else if (value == ExchangeEntry.releaseWord(rounds[word], ExchangeEntry.WITHDRAWN)) {
            release(index, WITHDRAWN);
        }
    }

    private void withdrawNow(String name, long step, SendCallback callback) {
        List<ExchangeSend> early = new ArrayList<>();
        synchronized (this) {
            waiting.removeIf(each -> each.is(name, step, callback) && early.add(each));
            early.forEach(each -> waitingByteSize -= each.entryByteSizeMin());
        }
        for (int i = 0; i < toldCount; i++) {
            ExchangeSend send = told[words[i]];
            if (send.is(name, step, callback) && !send.isWithdrawn) {
                send.isWithdrawn = true;
                withdrawals.add(send);
            }
        }
        early.forEach(each -> end(each, WITHDRAWN));
        pump();
    }

    private void release(int index, String cause) {
        int word = words[index];
        ExchangeSend send = told[word];
        told[word] = null;
        words[index] = words[--toldCount];
        words[toldCount] = word;
        if (send.isWithdrawn) {
            withdrawals.remove(send);
        }
        end(send, cause);
    }

    private void end(ExchangeSend send, String cause) {
        if (send.kind == ExchangeEntry.Kind.RENDEZVOUS && cause != null) {
            messages.peer().giveBack(send.lease);
        }
        SendCallback listener = send.release();
        String what = listener == null || cause == null ? null
                : messages + " '" + send.name + "' step=" + send.step + ": " + cause;
        giveBack(send);
        if (WITHDRAWN.equals(cause)) {
            exchangeCounters.onWithdrawn();
        }
        if (listener != null) {
            listener.onComplete(what == null ? null : new TransferException(what));
        }
    }

    /** Sends what waits, as far as there are credits. */
    private void pump() {
        if (isPumping) {
            return; // from a callback of what it ends
        }
        isPumping = true;
        while (!isEnded && messages.failure() == null && hasMessage() && messages.hasSlotForPart()) {
            ring[SlotLayout.placeInRing(messages.sent(), ring.length)].send();
        }
        if (isEnded || messages.failure() != null) {
            withdrawals.clear();
            endWaiting();
        }
        isPumping = false;
        if (!isWatched && !isEnded && (toldCount > 0 || !isAllTold())) {
            isWatched = true;
            engine.watch(watch);
        }
    }

    private synchronized boolean hasMessage() {
        return !withdrawals.isEmpty() || isAnyToGo();
    }

    private void endWaiting() {
        for (ExchangeSend next = nextWaiting(); next != null; next = nextWaiting()) {
            end(next, cause());
        }
    }

    private long nanoTime() {
        return messages.peer().engines().nanoTime();
    }

    private synchronized ExchangeSend nextWaiting() {
        ExchangeSend next = waiting.poll();
        if (next != null) {
            waitingByteSize -= next.entryByteSizeMin();
        }
        return next;
    }

    /** Null if nothing waits, or what waits longest is larger. */
    private synchronized ExchangeSend nextWaiting(long byteSizeMax) {
        ExchangeSend next = waiting.peek();
        return next == null || entryByteSize(next) > byteSizeMax ? null : nextWaiting();
    }

    private long entryByteSize(ExchangeSend send) {
        return ExchangeEntry.byteSize(send.nameBytes.length, send.shape == null ? 0 : send.shape.rank(),
                flags(send, toldOf(send)), send.payloadByteSize());
    }

    private Told toldOf(ExchangeSend send) {
        Told known = names.get(send.name);
        if (known == null && names.size() < ExchangeEntry.NAMES_MAX) {
            known = new Told(names.size());
        }
        return known == null ? untold : known;
    }

    private int flags(ExchangeSend send, Told known) {
        boolean isNamed = !known.isNamed;
        boolean isShaped = send.kind.isTensor() && (known == untold || !known.isOf(send));
        return (isNamed ? ExchangeEntry.NAMED : 0) | (isShaped ? ExchangeEntry.SHAPED : 0)
                | (send.isChecked ? ExchangeEntry.CHECKED : 0);
    }

    /** A message that is built, and written to the receiver; hears when that is done. */
    private final class Message implements SendCallback {
        private final Tensor memory;
        /** That end when it is written. */
        private final ArrayDeque<ExchangeSend> sends = new ArrayDeque<>();
        /** Who hears of that. */
        private final ArrayDeque<SendCallback> listeners = new ArrayDeque<>();
        /** When it was posted; {@link #UNTIMED} of most. */
        private long postedNs;

        Message(Tensor memory) {
            this.memory = memory;
        }

        void send() {
            long byteSize = writeWithdrawals();
            long end = ExchangeEntry.MESSAGE_BYTE_SIZE - ExchangeEntry.WORD;
            for (ExchangeSend next = nextWaiting(end - byteSize); next != null; next = nextWaiting(end - byteSize)) {
                byteSize = write(next, byteSize);
            }
            postedNs = threshold.isTimed(exchangeCounters.messages()) ? nanoTime() : UNTIMED;
            exchangeCounters.onMessage();
            tally.tell();
            long messageByteSize = ExchangeEntry.end(memory.memory(), byteSize);
            messages.put(memory, 0, messageByteSize, this);
        }

        private long writeWithdrawals() {
            long byteSize = 0;
            while (!withdrawals.isEmpty() && byteSize + WITHDRAWAL_BYTE_SIZE_MAX < ExchangeEntry.MESSAGE_BYTE_SIZE) {
                ExchangeSend send = withdrawals.poll();
                Told known = toldOf(send);
                int flags = known.isNamed ? 0 : ExchangeEntry.NAMED;
                long at = ExchangeEntry.write(memory.memory(), byteSize, ExchangeEntry.Kind.WITHDRAWAL, flags,
                        send.nameBytes, known.id, send.step, send.type, send.shape, send.byteSize, 0);
                writePlace(send, memory.memory(), at);
                byteSize = at + ExchangeEntry.PLACE_BYTE_SIZE;
            }
            return byteSize;
        }

        /** @return where the next entry lies */
        private long write(ExchangeSend send, long offset) {
            Told known = toldOf(send);
            int flags = flags(send, known);
            MemorySegment message = memory.memory();
            long at = ExchangeEntry.write(message, offset, send.kind, flags, send.nameBytes, known.id, send.step,
                    send.type, send.shape, send.byteSize, send.checksum);
            if (known != untold) {
                if (!known.isNamed) {
                    known.isNamed = true;
                    names.put(send.name, known);
                }
                if ((flags & ExchangeEntry.SHAPED) != 0) {
                    known.type = send.type;
                    known.shape = send.shape;
                }
            }
            exchangeCounters.onSend(send.kind, send.byteSize, flags);
            if (send.kind.isTensor()) {
                tally.onTransfer(send.byteSize);
            }
            switch (send.kind) {
                case EAGER -> {
                    MemorySegment.copy(send.lease.memory(), 0, message, at, send.byteSize);
                    tally.onCopy(send.byteSize);
                    send.lease.close();
                }
                case RENDEZVOUS -> tell(send, message, at);
                case BYTES, ERROR, DEAD, WITHDRAWAL -> MemorySegment.copy(send.bytes, 0, message,
                        java.lang.foreign.ValueLayout.JAVA_BYTE, at, send.bytes.length);
            }
            if (send.kind != ExchangeEntry.Kind.RENDEZVOUS) {
                sends.add(send);
            }
            return at + ExchangeEntry.padded(send.payloadByteSize());
        }

        private void tell(ExchangeSend send, MemorySegment message, long at) {
            int word = words[toldCount++];
            rounds[word]++;
            told[word] = send;
            send.word = word;
            writePlace(send, message, at);
        }

        private void writePlace(ExchangeSend send, MemorySegment message, long at) {
            Tensor tensor = send.lease.tensor();
            MemoryRegion region = (MemoryRegion) tensor.slab();
            MemoryRegion wordRegion = (MemoryRegion) releaseWords.slab();
            ExchangeEntry.set(message, at, region.address() + tensor.slabOffset());
            ExchangeEntry.set(message, at + ExchangeEntry.WORD, region.rkey());
            ExchangeEntry.set(message, at + 2L * ExchangeEntry.WORD,
                    wordRegion.address() + releaseWords.slabOffset() + (long) send.word * ExchangeEntry.WORD);
            ExchangeEntry.set(message, at + 3L * ExchangeEntry.WORD, wordRegion.rkey());
            ExchangeEntry.set(message, at + 4L * ExchangeEntry.WORD, rounds[send.word]);
        }

        @Override
        public void onComplete(TransferException failure) {
            if (postedNs != UNTIMED && failure == null) {
                threshold.onRequest(nanoTime() - postedNs);
            }
            if (failure == null) {
                endAll();
            } else {
                int written = sends.size();
                for (ExchangeSend send = sends.poll(); send != null; send = --written > 0 ? sends.poll() : null) {
                    end(send, failure.getMessage());
                }
            }
            engine.execute(pump);
        }

        /** Well: all are given back under one lock. They may be offered again, and in this message, by those who hear of them then. */
        private void endAll() {
            synchronized (AdaptiveExchangeSender.this) {
                for (ExchangeSend send = sends.poll(); send != null; send = sends.poll()) {
                    SendCallback listener = send.release();
                    if (listener != null) {
                        listeners.add(listener);
                    }
                    giveBack(send);
                }
            }
            for (SendCallback listener = listeners.poll(); listener != null; listener = listeners.poll()) {
                listener.onComplete(null);
            }
        }
    }
}
