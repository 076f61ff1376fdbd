package dev.verbena.transfer.protocol;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import dev.verbena.memory.ByteRuns;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.events.TensorSentEvent;
import dev.verbena.transfer.engine.Watch;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Sending end of dynamic allocation (EuroSys'19 §3.3): a {@link DynamicRecord} of each tensor is placed statically, and the tensor stays
 * pinned until the receiver, which reads it, has acknowledged its record.
 *
 * <pre>
 *   offered: pinned, record written ── record acknowledged ──► released
 *                                   ── end: nobody reads any more ──► failed
 * </pre>
 *
 * <p>Of one that is lent the record is acknowledged when the receiver has it; the tensor stays pinned until it is given back: {@link Loans}.
 *
 * Always: {@code released <= posted <= sent <= released + depth}.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.DynamicTensorSender}. <b>Threading:</b> offers by one thread at a time; the rest while
 * driving.
 */
public final class DynamicAllocationSender implements StaticPlacementSender.Overlay {
    private final StaticPlacementSender records;
    private final Engine engine;
    private final TransferCounters counters;
    /** Null if nothing can be lent. */
    private final Loans loans;
    private final Tensor recordSlots;
    private final Offered[] ring;
    private final Runnable release = this::release;
    private final Runnable onPosted = this::onPosted;
    private final Watch watch = this::watch;
    private final Runnable onEnd = this::onEnd;

    /** Written by the offering thread. */
    private final AtomicLong sent;
    /** The rest is written while driving. */
    private long posted;
    private final AtomicLong released;
    private boolean isWatched;
    private boolean isEnded;

    /** Over a sender of records, which it closes; their memory is the arena's. @param loans null if nothing can be lent */
    DynamicAllocationSender(StaticPlacementSender records, TensorArena controlArena, TransferCounters counters,
            Loans loans) {
        this.records = records;
        this.loans = loans;
        this.engine = records.engine();
        this.counters = counters;
        ring = new Offered[records.depth()];
        posted = records.sent();
        sent = new AtomicLong(posted);
        released = new AtomicLong(posted);
        recordSlots = controlArena.allocate(ElementType.UINT8, Shape.of(ring.length, DynamicRecord.BYTE_SIZE));
        for (int i = 0; i < ring.length; i++) {
            ring[i] = new Offered(
                    Tensor.over(recordSlots.slab(), recordSlots.slabOffset() + i * DynamicRecord.BYTE_SIZE,
                            DynamicAllocationReceiver.RECORD_TYPE, DynamicAllocationReceiver.RECORD_SHAPE, () -> {}));
        }
        records.carry(this);
        records.peer().addCloseListener(onEnd);
    }

    private Offered at(long sequence) {
        return ring[SlotLayout.placeInRing(sequence, ring.length)];
    }

    /** Whether an offer would be taken now. What the receiver has read is released then, and its memory free for the next one. */
    public boolean isReady() {
        if (records.acknowledgedAcquire() > released.getAcquire()) {
            engine.execute(release);
        }
        return hasRoom() && records.isReady();
    }

    /** The same for who has its tensor already: released is only what room is needed for. */
    private boolean takes() {
        return hasRoom() ? records.isReady() : isReady();
    }

    private boolean hasRoom() {
        return sent.getPlain() - released.getAcquire() < ring.length;
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offer(Tensor, SendCallback) */
    public SendResult offer(Tensor tensor, SendCallback callback) {
        if (!takes()) {
            counters.onBackPressure();
            return SendResult.BACK_PRESSURED;
        }
        at(sent.getPlain()).lease.pin(tensor);
        return tell((MemoryRegion) tensor.slab(), tensor.slabOffset(), tensor.type(), tensor.shape(), callback);
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offerDead */
    public SendResult offerDead(SendCallback callback) {
        if (!takes()) {
            counters.onBackPressure();
            return SendResult.BACK_PRESSURED;
        }
        long sequence = sent.getPlain();
        Offered offered = at(sequence);
        offered.callback = callback;
        offered.isDead = true;
        DynamicRecord.writeDead(offered.record.memory(), sequence);
        put(offered, sequence);
        return SendResult.SENT;
    }

    /** Control memory of each end of one that lends. */
    public static long loansByteSize() {
        return SlotLayout.LINE + (long) Loans.MAX * SlotLayout.WORD;
    }

    /** Whether the receiver may use tensors where they lie. */
    public boolean lends() {
        return loans != null;
    }

    /** Tensors that are lent and not given back. */
    public int onLoan() {
        return loans == null ? 0 : loans.out();
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#lend */
    public SendResult lend(Tensor tensor, SendCallback callback) {
        if (loans == null || tensor.byteSize() == 0) {
            return offer(tensor, callback);
        }
        Loans.Loan loan = takes() ? loans.tryTake() : null;
        if (loan == null) {
            counters.onBackPressure();
            return SendResult.BACK_PRESSURED;
        }
        long sequence = sent.getPlain();
        Offered offered = at(sequence);
        try {
            loan.begin(tensor, sequence, callback);
        } catch (IllegalStateException e) {
            loans.putBack(loan);
            throw e;
        }
        offered.loan = loan;
        tell(offered, (MemoryRegion) tensor.slab(), tensor.slabOffset(), tensor.type(), tensor.shape(),
                loan.number());
        return SendResult.SENT;
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offer(TensorView, SendCallback) */
    public SendResult offer(TensorView view, SendCallback callback) {
        ByteRuns runs = view.layout().runs();
        if (runs.count() > 1) {
            throw new IllegalArgumentException(records + ": " + view + " has " + runs
                    + ", but the receiver reads one piece; use offerCopy, or copy it to a dense tensor");
        }
        if (!takes()) {
            counters.onBackPressure();
            return SendResult.BACK_PRESSURED;
        }
        view.pin(at(sent.getPlain()).lease);
        long within = runs.count() == 0 ? 0 : runs.byteOffset(0);
        return tell((MemoryRegion) view.slab(), view.slabOffset() + within, view.type(), view.shape(), callback);
    }

    /** Of what was pinned. */
    private SendResult tell(MemoryRegion region, long regionOffset, ElementType type, Shape shape,
            SendCallback callback) {
        long sequence = sent.getPlain();
        Offered offered = at(sequence);
        offered.callback = callback;
        offered.event = TensorSentEvent.begun();
        offered.offeredNs = TransferCounters.offeredNs(sequence, records.peer().engines());
        tell(offered, region, regionOffset, type, shape, 0);
        return SendResult.SENT;
    }

    private void tell(Offered offered, MemoryRegion region, long regionOffset, ElementType type, Shape shape,
            long loan) {
        long sequence = sent.getPlain();
        DynamicRecord.write(offered.record.memory(), sequence, region, regionOffset, type, shape, loan);
        counters.onTransfer(shape.byteSize(type));
        put(offered, sequence);
    }

    private void put(Offered offered, long sequence) {
        sent.setRelease(sequence + 1);
        records.putOwn(offered.record, offered);
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offerCopy(Tensor, TensorArena, SendCallback) */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        return offerCopy(copy -> copy.memory().copyFrom(tensor.memory()), tensor.type(), tensor.shape(), staging,
                callback);
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offerCopy(TensorView, TensorArena, SendCallback) */
    public SendResult offerCopy(TensorView view, TensorArena staging, SendCallback callback) {
        return offerCopy(view::copyTo, view.type(), view.shape(), staging, callback);
    }

    private SendResult offerCopy(Consumer<Tensor> copying, ElementType type, Shape shape, TensorArena staging,
            SendCallback callback) {
        Tensor copy = isReady() ? staging.tryAllocate(type, shape) : null;
        if (copy == null) {
            counters.onBackPressure();
            return SendResult.BACK_PRESSURED;
        }
        try (copy) {
            copying.accept(copy);
            return offerCopied(copy, callback);
        }
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#offerCopied */
    public SendResult offerCopied(Tensor copy, SendCallback callback) {
        return copied(copy, offer(copy, callback));
    }

    /** @see dev.verbena.transfer.DynamicTensorSender#lendCopied */
    public SendResult lendCopied(Tensor copy, SendCallback callback) {
        return copied(copy, lend(copy, callback));
    }

    private SendResult copied(Tensor copy, SendResult result) {
        if (result == SendResult.SENT) {
            counters.onCopy(copy.byteSize());
        }
        return result;
    }

    /** The peer's name, for messages. */
    public String receiverName() {
        return records.receiverName();
    }

    /** Whether the arrival of a record shows in its tail. */
    public boolean tail() {
        return records.tail();
    }

    /** No more offers. Waits until the receiver has read what was offered, then frees the control memory. */
    public void close() {
        records.close();
    }

    @Override
    public void onEnd() {
        engine.execute(() -> {
            if (!isEnded) {
                release();
                isEnded = true;
            }
            release();
        });
    }

    @Override
    public void onClosed() {
        records.peer().removeCloseListener(onEnd);
        recordSlots.close();
        if (loans != null) {
            loans.onSenderClosed();
        }
        counters.close();
    }

    // ---- while driving ----

    private boolean watch() {
        release();
        isWatched = released.getPlain() < posted;
        return isWatched;
    }

    /** What is acknowledged has been read; after the end nothing else will be, and the acknowledgement is looked at no more. */
    private void release() {
        while (!isEnded && released.getPlain() < Math.min(records.acknowledgedAcquire(), sent.getAcquire())) {
            releaseNext(null);
        }
        while (isEnded && released.getPlain() < posted) {
            releaseNext(records.failure());
        }
    }

    private void onPosted() {
        posted++;
        release();
        if (loans != null) {
            loans.watch();
        }
        if (!isWatched && released.getPlain() < posted) {
            engine.watch(watch);
        }
    }

    private void releaseNext(String cause) {
        Offered offered = at(released.getPlain());
        if (offered.loan != null) {
            Loans.Loan loan = offered.loan;
            offered.loan = null;
            released.setRelease(released.getPlain() + 1);
            if (cause != null) {
                loans.fail(loan, cause);
            }
            return;
        }
        SendCallback listener = offered.callback;
        offered.callback = null;
        if (offered.isDead) {
            offered.isDead = false;
        } else {
            giveBack(offered, cause);
        }
        released.setRelease(released.getPlain() + 1);
        if (listener != null) {
            listener.onComplete(cause == null ? null : new TransferException(records + ": " + cause));
        }
    }

    private void giveBack(Offered offered, String cause) {
        if (offered.event != null) {
            offered.event.commit(records.name(), records.receiverName(), offered.lease.memory().byteSize(), cause);
            offered.event = null;
        }
        records.peer().giveBack(offered.lease);
        if (cause == null) {
            counters.onFree(offered.offeredNs, records.peer().engines());
        }
    }

    /** A tensor from its offer to its release; hears when its record is written. */
    private final class Offered implements SendCallback {
        private final Tensor record;
        private final TensorLease lease = new TensorLease();
        private SendCallback callback;
        /** What it is if it is lent; its pin is the loan's then, and so is what hears of its end. */
        private Loans.Loan loan;
        /** Whether there is no tensor, and so nothing is pinned. */
        private boolean isDead;
        private long offeredNs;
        /** Null while nobody records. */
        private TensorSentEvent event;

        Offered(Tensor record) {
            this.record = record;
        }

        @Override
        public void onComplete(TransferException failure) {
            engine.execute(onPosted);
        }
    }
}
