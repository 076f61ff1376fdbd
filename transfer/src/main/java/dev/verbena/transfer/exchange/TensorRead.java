package dev.verbena.transfer.exchange;

import java.util.List;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.engine.Stripe;
import dev.verbena.transfer.protocol.Words;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Reads one tensor from the sender's memory, in chunks of which two are under way at a time on each queue pair that it goes over, and tells the
 * sender when it is done with it.
 *
 * <pre>
 *   idle ── start ──► reading: chunk after chunk lands ──► whole ──► releasing ──► idle
 *    │                        └─ a request fails ──────────────────────────────► idle
 *    └── release, of what is withdrawn ──────────────────────────► releasing
 * </pre>
 *
 * The n-th chunk goes over queue pair {@code n % stripes}; one that lands before those in front of it waits for them before it is handed on, and
 * so does the next on its queue pair. Always: {@code handed on <= posted <= byteSize}.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}. <b>Threading:</b> while driving.
 */
final class TensorRead {
    /** One on its way while another is asked for. */
    private static final int CHUNKS_EACH = 2;

    /** Hears how far it is. */
    interface Owner {
        /** The device's clock. */
        long nanoTime();

        /** So much has landed, from there on, behind all before it. */
        void onLanded(ExchangeArrival arrival, long byteOffset, long byteSize);

        /** It is whole, or will not be: then with the cause. */
        void onRead(ExchangeArrival arrival, String cause);

        /** Nothing of it is under way any more. */
        void onIdle(TensorRead read, ExchangeArrival arrival);
    }

    private final Owner owner;
    private final ChunkSize chunkSize;
    /** From where its release word is written. */
    private final Tensor words;
    private final long wordOffset;
    private final Striping striping;
    private final Chunk[] chunks;
    private final Release release = new Release();
    private List<EngineQueuePair> queuePairs;
    private ExchangeArrival arrival;
    private int stripes;
    private long chunkByteSizeMax;
    /** Whose turn it is to be handed on. */
    private int next;
    private long posted;
    private int underWay;
    private String failure;

    TensorRead(Owner owner, ChunkSize chunkSize, Striping striping, Tensor words, int index) {
        this.owner = owner;
        this.chunkSize = chunkSize;
        this.striping = striping;
        this.words = words;
        wordOffset = (long) index * ExchangeEntry.WORD;
        chunks = new Chunk[CHUNKS_EACH * striping.queuePairs()];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = new Chunk(i);
        }
    }

    /** Reads it to the place that it has; it is at home on the engine of the first of these queue pairs. */
    void start(List<EngineQueuePair> from, ExchangeArrival what) {
        queuePairs = from;
        arrival = what;
        stripes = striping.stripeCount(what.byteSize, from.size());
        // So that each has one, however large chunks may be.
        chunkByteSizeMax = Striping.begin(1, stripes, what.byteSize + stripes * Striping.STRIPE_BYTE_SIZE_LEAST);
        next = 0;
        posted = 0;
        failure = null;
        // This method counts too: a request may end in the midst of it.
        underWay = 1;
        if (from.getFirst().tryGet(what.address, what.rkey, what.place.region().memory(), what.place.regionOffset(),
                what.byteSize)) {
            owner.onLanded(what, 0, what.byteSize);
            onOneEnded();
            return;
        }
        for (int i = 0; i < CHUNKS_EACH * stripes; i++) {
            chunks[i].postNext(true);
        }
        for (int i = 0; i < stripes; i++) {
            if (from.get(i).engine().isDriving()) {
                from.get(i).postWaiting();
            }
        }
        onOneEnded();
    }

    private void handOn() {
        while (failure == null && chunks[next].hasLanded) {
            Chunk landed = chunks[next];
            landed.hasLanded = false;
            next = (next + 1) % (CHUNKS_EACH * stripes);
            owner.onLanded(arrival, landed.byteOffset, landed.byteSize);
            landed.postNext(false);
        }
    }

    private Engine home() {
        return queuePairs.getFirst().engine();
    }

    private void onOneEnded() {
        if (--underWay > 0) {
            return;
        }
        owner.onRead(arrival, failure);
        if (failure == null) {
            release.post(ExchangeEntry.READ);
        } else {
            becomeIdle();
        }
    }

    /** Tells the sender that nobody will read it. */
    void refuse(List<EngineQueuePair> from, ExchangeArrival what) {
        queuePairs = from;
        arrival = what;
        release.post(ExchangeEntry.WITHDRAWN);
    }

    private void becomeIdle() {
        ExchangeArrival last = arrival;
        arrival = null;
        owner.onIdle(this, last);
    }

    /** A part of the tensor; made once, posted many times. */
    private final class Chunk extends Stripe {
        private final int index;
        private long byteOffset;
        private long byteSize;
        private long postedNs;
        /** And is not handed on yet. */
        private boolean hasLanded;

        Chunk(int index) {
            super(1);
            this.index = index;
        }

        /** @param isOneOfSeveral if they can be posted from here, as one list, they are only lined up */
        void postNext(boolean isOneOfSeveral) {
            byteOffset = posted;
            long wanted = chunkSize.byteSize(arrival.byteSize, posted);
            byteSize = Math.min(arrival.byteSize - posted, Math.min(wanted, chunkByteSizeMax));
            hasLanded = false;
            if (failure != null || byteSize == 0) {
                return;
            }
            posted += byteSize;
            underWay++;
            if (ChunkSize.isTelling(byteSize)) {
                postedNs = owner.nanoTime();
            }
            EngineQueuePair over = queuePairs.get(index % stripes);
            if (isOneOfSeveral && over.engine().isDriving()) {
                go(over, home(), byteOffset, byteOffset + byteSize, true);
            } else {
                go(over, home(), byteOffset, byteOffset + byteSize);
            }
        }

        @Override
        protected long prepare(WorkRequest request, long byteOffset, long byteSize) {
            request.reset(0, Opcode.READ)
                    .element(arrival.place.region(), arrival.place.regionOffset() + byteOffset, byteSize)
                    .remote(arrival.address + byteOffset, arrival.rkey);
            return byteSize;
        }

        @Override
        protected void onEnded(String cause) {
            if (cause == null) {
                if (ChunkSize.isTelling(byteSize)) {
                    chunkSize.onLanded(byteSize, postedNs, owner.nanoTime());
                }
                hasLanded = true;
                handOn();
            } else if (failure == null) {
                failure = cause;
            }
            onOneEnded();
        }
    }

    /** Tells the sender, by a word of its memory. */
    private final class Release extends Request {
        Release() {
            super(1);
        }

        void post(long outcome) {
            long word = ExchangeEntry.releaseWord(arrival.round, outcome);
            if (queuePairs.getFirst().tryPutWord(arrival.releaseAddress, arrival.releaseRkey, word, true)) {
                becomeIdle();
                return;
            }
            Words.setRelease(words.memory(), wordOffset, word);
            workRequest.reset(0, Opcode.WRITE)
                    .element((MemoryRegion) words.slab(), words.slabOffset() + wordOffset, ExchangeEntry.WORD)
                    .remote(arrival.releaseAddress, arrival.releaseRkey);
            queuePairs.getFirst().submit(this);
        }

        @Override
        protected void onDone(String cause) {
            becomeIdle();
        }
    }
}
