package dev.verbena.transfer.protocol;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorSlot;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.PeerMemory;

/**
 * Tensors that a receiver uses where they lie with its sender: regions of the sender, mapped for reading, and the words by which the sender
 * hears of what is given back, {@link Loans}.
 *
 * <pre>
 *   taken ──► borrowed ── closed by whoever has it ──► word here ── one write of all such words ──► word at the sender
 * </pre>
 *
 * A region stays mapped as long as the sender is there, and then until the last tensor in it is given back.
 * Always: {@code told <= returned <= taken <= told + MAX}, as the sender keeps it.
 *
 * <p><b>Owner:</b> the receiver, while that sender sends; then itself, until nothing is borrowed. <b>Threading:</b> taken while driving; given
 * back on any thread.
 */
final class Borrower {
    /** The sender's memory that a region of its is mapped to. */
    private static final class Region {
        private final PeerMemory memory;
        /** Tensors in it. */
        private int borrowed;

        Region(PeerMemory memory) {
            this.memory = memory;
        }
    }

    private final PeerConnection peer;
    private final EngineQueuePair queuePair;
    private final long returnsAddress;
    private final long returnsRkey;
    /** What is written there; as many words as here. */
    private final Tensor words;
    private final Returns returns = new Returns();
    private final Runnable tell = this::tell;
    private final Runnable onConnectionClosed = this::onConnectionClosed;

    /** By rkey. Guarded by this, as is all below. */
    private final Map<Long, Region> regions = new HashMap<>();
    private long borrowed;
    private long returned;
    private long told;
    private boolean isTelling;
    /** Nothing more will be borrowed. */
    private boolean isLast;
    /** Nobody is told any more. */
    private boolean isEnded;

    /** Of a sender that hears of what is given back by words at that address of its. */
    Borrower(PeerConnection peer, EngineQueuePair queuePair, long returnsAddress, long returnsRkey,
            TensorArena controlArena) {
        this.peer = peer;
        this.queuePair = queuePair;
        this.returnsAddress = returnsAddress;
        this.returnsRkey = returnsRkey;
        words = controlArena.allocate(ElementType.INT64, Shape.of(Loans.MAX));
        words.memory().fill((byte) 0);
        peer.addCloseListener(onConnectionClosed);
    }

    /**
     * What the record tells of. While driving.
     *
     * @throws TransferException if the sender's memory cannot be mapped, or does not have it
     */
    Landed take(DynamicRecord record) {
        synchronized (this) {
            Region region = region(record.rkey());
            Borrowed taken = new Borrowed(region, record);
            region.borrowed++;
            borrowed++;
            return taken;
        }
    }

    private Region region(long rkey) {
        if (isLast) {
            throw new TransferException("peer " + peer.name() + " has left");
        }
        Region region = regions.get(rkey);
        if (region == null) {
            region = new Region(peer.connection().mapPeerForReading(rkey));
            regions.put(rkey, region);
        }
        return region;
    }

    /** The sender has left, or the receiver is closed: nothing more comes, and what is borrowed stays so until it is given back. */
    void leave() {
        synchronized (this) {
            isLast = true;
        }
        unmapUnused();
        endIfDone();
    }

    private void onConnectionClosed() {
        boolean isLeft;
        synchronized (this) {
            isLast = true;
            isLeft = isEnded;
            isEnded = true;
        }
        unmapUnused();
        if (!isLeft) {
            words.close();
        }
    }

    private void giveBack(Region region, long loan) {
        boolean isToTell;
        synchronized (this) {
            region.borrowed--;
            borrowed--;
            isToTell = !isEnded;
            if (isToTell) {
                Words.setRelease(words.memory(), returned % Loans.MAX * SlotLayout.WORD,
                        returned + 1 << Loans.NUMBER_BITS | loan);
                returned++;
            }
        }
        unmapUnused();
        if (isToTell) {
            queuePair.engine().execute(tell);
        }
    }

    /** Outside the lock: the fabric may have waited for that, to tell others. */
    private void unmapUnused() {
        List<Region> unused = List.of();
        synchronized (this) {
            if (isLast) {
                unused = regions.values().stream().filter(region -> region.borrowed == 0).toList();
                regions.values().removeAll(unused);
            }
        }
        unused.forEach(region -> region.memory.close());
    }

    private void endIfDone() {
        synchronized (this) {
            if (isEnded || !isLast || borrowed > 0 || told < returned || isTelling) {
                return;
            }
            isEnded = true;
        }
        peer.removeCloseListener(onConnectionClosed);
        peer.giveBack(words);
    }

    // ---- while driving ----

    /** As many words as there are up to the end, by one write at a time. */
    private void tell() {
        synchronized (this) {
            if (isEnded || isTelling || told == returned || peer.failure() != null) {
                return;
            }
            isTelling = true;
            long first = told % Loans.MAX;
            long count = Math.min(returned - told, Loans.MAX - first);
            told += count;
            returns.prepare(first, count);
        }
        queuePair.submit(returns);
    }

    /** Writes words to where the sender has them. */
    private final class Returns extends Request {
        Returns() {
            super(1);
        }

        void prepare(long first, long count) {
            workRequest.reset(0, Opcode.WRITE)
                    .element((MemoryRegion) words.slab(), words.slabOffset() + first * SlotLayout.WORD,
                            count * SlotLayout.WORD)
                    .remote(returnsAddress + first * SlotLayout.WORD, returnsRkey);
        }

        @Override
        protected void onDone(String failure) {
            synchronized (Borrower.this) {
                isTelling = false;
            }
            if (failure == null) {
                tell();
                endIfDone();
            }
        }
    }

    /** A tensor of the sender, here. */
    private final class Borrowed implements Landed {
        private final Region region;
        private final long loan;
        private final long offset;
        private final ElementType type;
        private final Shape shape;

        Borrowed(Region region, DynamicRecord record) {
            this.region = region;
            loan = record.loan();
            offset = region.memory.offsetOf(record.address(), record.byteSize());
            type = record.type();
            shape = record.shape();
            if (offset < 0 || offset % type.byteAlignment() != 0) {
                throw new TransferException("malformed record of a lent tensor: address=" + record.address()
                        + " byteSize=" + record.byteSize() + " is not in the region of rkey=" + record.rkey());
            }
        }

        @Override
        public Tensor give() {
            return Tensor.over(region.memory, offset, type, shape, this::drop);
        }

        @Override
        public void lend(TensorLease lease) {
            new TensorSlot(region.memory, offset, type, shape, this::drop).lend(lease);
        }

        @Override
        public void drop() {
            giveBack(region, loan);
        }
    }
}
