package dev.verbena.transfer.exchange;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.protocol.Words;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * Reads one tensor from the sender's memory, in chunks of which two are under way at a time, and tells the sender when it is done with it.
 *
 * <pre>
 *   idle ── start ──► reading: chunk after chunk lands ──► whole ──► releasing ──► idle
 *    │                        └─ a request fails ──────────────────────────────► idle
 *    └── release, of what is withdrawn ──────────────────────────► releasing
 * </pre>
 *
 * Always: {@code landed <= posted <= byteSize}. Requests of a queue pair end in order, so what has landed has no gaps.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}. <b>Threading:</b> while driving.
 */
final class TensorRead {
    /** One on its way while another is asked for. */
    private static final int CHUNKS = 2;

    /** Hears how far it is. */
    interface Owner {
        /** The device's clock. */
        long nanoTime();

        /** So much has landed, from there on. */
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
    private final Chunk[] chunks = new Chunk[CHUNKS];
    private final Release release = new Release();
    private EngineQueuePair queuePair;
    private ExchangeArrival arrival;
    private long posted;
    private int underWay;
    private String failure;

    TensorRead(Owner owner, ChunkSize chunkSize, Tensor words, int index) {
        this.owner = owner;
        this.chunkSize = chunkSize;
        this.words = words;
        wordOffset = (long) index * ExchangeEntry.WORD;
        for (int i = 0; i < CHUNKS; i++) {
            chunks[i] = new Chunk();
        }
    }

    /** Reads it to the place that it has. */
    void start(EngineQueuePair from, ExchangeArrival what) {
        queuePair = from;
        arrival = what;
        posted = 0;
        failure = null;
        // This method counts too: a request may end in the midst of it.
        underWay = 1;
        for (Chunk each : chunks) {
            each.postNext();
        }
        onOneEnded();
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
    void refuse(EngineQueuePair from, ExchangeArrival what) {
        queuePair = from;
        arrival = what;
        release.post(ExchangeEntry.WITHDRAWN);
    }

    private void becomeIdle() {
        ExchangeArrival last = arrival;
        arrival = null;
        owner.onIdle(this, last);
    }

    /** A part of the tensor; made once, posted many times. */
    private final class Chunk extends Request {
        private long byteOffset;
        private long byteSize;
        private long postedNs;

        Chunk() {
            super(1);
        }

        void postNext() {
            byteOffset = posted;
            byteSize = Math.min(arrival.byteSize - posted, chunkSize.byteSize());
            if (failure != null || byteSize == 0) {
                return;
            }
            posted += byteSize;
            underWay++;
            if (ChunkSize.isTelling(byteSize)) {
                postedNs = owner.nanoTime();
            }
            workRequest.reset(0, Opcode.READ)
                    .element(arrival.place.region(), arrival.place.regionOffset() + byteOffset, byteSize)
                    .remote(arrival.address + byteOffset, arrival.rkey);
            queuePair.submit(this);
        }

        @Override
        protected void onDone(String cause) {
            if (cause == null) {
                if (ChunkSize.isTelling(byteSize)) {
                    chunkSize.onLanded(byteSize, postedNs, owner.nanoTime());
                }
                owner.onLanded(arrival, byteOffset, byteSize);
                postNext();
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
            Words.setRelease(words.memory(), wordOffset, ExchangeEntry.releaseWord(arrival.round, outcome));
            workRequest.reset(0, Opcode.WRITE)
                    .element((MemoryRegion) words.slab(), words.slabOffset() + wordOffset, ExchangeEntry.WORD)
                    .remote(arrival.releaseAddress, arrival.releaseRkey);
            queuePair.submit(this);
        }

        @Override
        protected void onDone(String cause) {
            becomeIdle();
        }
    }
}
