package dev.verbena.transfer.protocol;

import dev.verbena.transfer.counters.CounterFile;
import dev.verbena.transfer.counters.CounterRow;
import dev.verbena.transfer.counters.CounterRow.Text;
import dev.verbena.transfer.counters.CounterRow.Word;
import dev.verbena.transfer.engine.Engines;

/**
 * What one sender or receiver has moved, and what it cost: a line of its own, which nobody else writes.
 *
 * <p><b>Owner:</b> the sender or receiver. <b>Threading:</b> latencies by who drives, all else by who offers or polls, one thread at a time;
 * read by any.
 */
public final class TransferCounters implements AutoCloseable {
    /** One tensor in so many is timed: two looks at the clock cost a tenth of a small one. */
    private static final long TIMED_ONE_IN = 16;
    /** Of no moment. */
    private static final long UNTIMED = Long.MIN_VALUE;

    private final CounterFile file;
    private final CounterRow row;
    private final String protocol;
    private final boolean movesByCpu;

    private TransferCounters(CounterFile file, CounterRow row, String protocol, boolean movesByCpu) {
        this.file = file;
        this.protocol = protocol;
        this.row = row;
        this.movesByCpu = movesByCpu;
    }

    /** Of messages that carry no tensors: nobody sees them. */
    public TransferCounters() {
        this(null, CounterRow.unshared(), "", false);
    }

    /** A row of the file until it is closed. @param movesByCpu whether this end moves the bytes, and the fabric has no adapter for it */
    public static TransferCounters ofSender(CounterFile file, String name, String peer, String protocol,
            boolean movesByCpu) {
        return new TransferCounters(file, file.take(false, name, peer, protocol), protocol, movesByCpu);
    }

    /** The same; the peer is known when it comes. */
    public static TransferCounters ofReceiver(CounterFile file, String name, String protocol, boolean movesByCpu) {
        return new TransferCounters(file, file.take(true, name, "", protocol), protocol, movesByCpu);
    }

    public void onPeer(String peer) {
        row.text(Text.PEER, peer);
    }

    public void onTransfer(long byteSize) {
        onTransfers(1, byteSize);
    }

    private void onTransfers(long count, long byteSize) {
        row.add(Word.TENSORS, count);
        row.add(Word.BYTES, byteSize);
        if (movesByCpu) {
            row.add(Word.FABRIC_BYTES, byteSize);
        }
    }

    /** A tensor that was computed where it is received, or is used where it was computed: nobody moves it. */
    void onPlaced(long byteSize) {
        row.add(Word.TENSORS, 1);
        row.add(Word.BYTES, byteSize);
    }

    /** A processor has copied so much. */
    public void onCopy(long byteSize) {
        onCopies(1, byteSize);
    }

    private void onCopies(long count, long byteSize) {
        row.add(Word.STAGED_TENSORS, count);
        row.add(Word.STAGED_BYTES, byteSize);
    }

    void onBackPressure() {
        row.add(Word.BACK_PRESSURED, 1);
    }

    /** When a tensor is offered, for {@link #onFree}. */
    static long offeredNs(long sequence, Engines engines) {
        return sequence % TIMED_ONE_IN == 0 ? engines.nanoTime() : UNTIMED;
    }

    /** How arrival is seen, and why, in words. */
    public void onArrivalChosen(String reason) {
        row.text(Text.CHOICE, protocol + "; " + reason);
    }

    /** The same, and over how many queue pairs of the peer large tensors go. */
    public void onArrivalChosen(String reason, int stripesMax) {
        onArrivalChosen(stripesMax > 1 ? reason + "; in up to " + stripesMax + " stripes" : reason);
    }

    /** It has been sent, and its memory is the sender's again. @param offeredNs what {@link #offeredNs} has said */
    void onFree(long offeredNs, Engines engines) {
        if (offeredNs != UNTIMED) {
            row.countLatency(engines.nanoTime() - offeredNs);
        }
    }

    /** The row is another's from now on. */
    @Override
    public void close() {
        if (file != null) {
            file.giveBack(row);
        }
    }

    /**
     * What the tensors of one message are, until that is {@linkplain #tell told}: to write the row for each costs as much as to copy a small
     * one.
     *
     * <p><b>Owner:</b> who sends or takes messages. <b>Threading:</b> confined to its owner.
     */
    public final class Tally {
        private long transfers;
        private long transferredByteSize;
        private long copies;
        private long copiedByteSize;

        public void onTransfer(long byteSize) {
            transfers++;
            transferredByteSize += byteSize;
        }

        public void onCopy(long byteSize) {
            copies++;
            copiedByteSize += byteSize;
        }

        /** Counts them, and begins anew. */
        public void tell() {
            if (transfers > 0) {
                onTransfers(transfers, transferredByteSize);
                transfers = 0;
                transferredByteSize = 0;
            }
            if (copies > 0) {
                onCopies(copies, copiedByteSize);
                copies = 0;
                copiedByteSize = 0;
            }
        }
    }
}
