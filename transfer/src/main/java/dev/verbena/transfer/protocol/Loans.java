package dev.verbena.transfer.protocol;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.Watch;
import dev.verbena.transfer.events.TensorSentEvent;

/**
 * The tensors of a sender that its receiver uses where they lie: each is pinned until the receiver gives it back, in whatever order. The
 * receiver tells by words that it writes behind the acknowledgement, round about, {@link Borrower}:
 *
 * <pre>
 *   63                    16 15            0
 *   +-----------------------+---------------+
 *   | given back before + 1 | loan          |
 *   +-----------------------+---------------+
 *
 *   free ── lent ──► out ── given back ──► free
 *                     └─── the receiver closes without having seen it, or the connection ends ──► failed, free
 * </pre>
 *
 * Always: {@code free + out == made <= MAX}, so that no word is written over before it was seen. They outlive their sender as long as anything is
 * out.
 *
 * <p><b>Owner:</b> itself: it ends when its sender is closed and nothing is out, or with the connection. <b>Threading:</b> taken by who offers;
 * {@link #watch} and {@link #fail} while driving; the rest on any thread.
 */
final class Loans {
    /** Tensors that are out at the most; their numbers count from 1. */
    static final int MAX = 1024;
    static final int NUMBER_BITS = 16;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;

    private static final Logger LOG = LoggerFactory.getLogger(Loans.class);

    private final String sender;
    private final String name;
    private final PeerConnection peer;
    private final Engine engine;
    /** The receiver writes there as long as anything is out, whether the sender is closed or not. */
    private final TensorLease words;
    private final Watch look = this::look;
    private final Runnable onConnectionClosed = this::onConnectionClosed;

    /** As many as were ever out at a time. Guarded by this, as are the next four. */
    private final List<Loan> made = new ArrayList<>();
    private final ArrayDeque<Loan> free = new ArrayDeque<>();
    /** Null when the sender is closed: what it counts in is another's then. */
    private TransferCounters counters;
    private boolean isSenderClosed;
    private boolean isEnded;
    /** Written while driving. */
    private long givenBack;
    private boolean isWatched;

    /** Of a sender over whose acknowledgement there is room for the words. */
    Loans(StaticPlacementSender records, TransferCounters counters) {
        sender = records.toString();
        name = records.name();
        peer = records.peer();
        engine = records.engine();
        this.counters = counters;
        words = TensorLease.of(records.acknowledgement());
        peer.addCloseListener(onConnectionClosed);
    }

    /** One that nobody has. @return null if all are out, or nobody will give anything back any more */
    synchronized Loan tryTake() {
        if (isEnded) {
            return null;
        }
        if (free.isEmpty() && made.size() < MAX) {
            made.add(new Loan(made.size() + 1));
            return made.getLast();
        }
        return free.poll();
    }

    /** Of a loan that did not begin. */
    synchronized void putBack(Loan loan) {
        free.add(loan);
    }

    synchronized int out() {
        return made.size() - free.size();
    }

    /** What is out stays so. */
    void onSenderClosed() {
        synchronized (this) {
            isSenderClosed = true;
            counters = null;
        }
        endIfDone();
    }

    /** Nobody will give anything back any more; what the peer may still read stays pinned until it cannot. */
    private void onConnectionClosed() {
        engine.execute(() -> {
            for (Loan loan : all()) {
                fail(loan, peer.failure());
            }
            synchronized (this) {
                isSenderClosed = true;
                counters = null;
            }
            endIfDone();
        });
    }

    private synchronized List<Loan> all() {
        return List.copyOf(made);
    }

    private void endIfDone() {
        synchronized (this) {
            if (isEnded || !isSenderClosed || out() > 0) {
                return;
            }
            isEnded = true;
        }
        peer.removeCloseListener(onConnectionClosed);
        peer.giveBack(words);
    }

    // ---- while driving ----

    /** Looks from now on until all is given back. */
    void watch() {
        if (!isWatched && out() > 0) {
            isWatched = true;
            engine.watch(look);
        }
    }

    private boolean look() {
        while (isNextGivenBack()) {
            Loan loan = nextGivenBack();
            givenBack++;
            if (loan == null || !loan.isOut) {
                peer.fail("malformed: peer " + peer.name() + " gives back what " + sender + " has not lent");
                break;
            }
            try {
                loan.end(null);
            } catch (RuntimeException e) {
                // Of who hears of it: the next ones are given back all the same.
                LOG.error("{}: the end of a loan failed", sender, e);
            }
        }
        isWatched = !isEnded() && out() > 0;
        return isWatched;
    }

    private synchronized boolean isEnded() {
        return isEnded;
    }

    private boolean isNextGivenBack() {
        return !isEnded() && peer.failure() == null && word() >>> NUMBER_BITS == givenBack + 1;
    }

    /** @return null if there is none of that number */
    private synchronized Loan nextGivenBack() {
        long number = word() & NUMBER_MASK;
        return number < 1 || number > made.size() ? null : made.get((int) number - 1);
    }

    private long word() {
        return Words.getAcquire(words.memory(), SlotLayout.LINE + givenBack % MAX * SlotLayout.WORD);
    }

    /** Nobody has it any more, or nobody will tell. Idempotent. */
    void fail(Loan loan, String cause) {
        if (loan.isOut) {
            loan.end(cause);
        }
    }

    /** A tensor, from its offer until it is given back. */
    final class Loan {
        private final int number;
        private final TensorLease lease = new TensorLease();
        private SendCallback callback;
        private long offeredNs;
        /** Null while nobody records. */
        private TensorSentEvent event;
        /** Written by who offers, and while driving. */
        private volatile boolean isOut;

        private Loan(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }

        /** @throws IllegalStateException if the tensor is closed */
        void begin(Tensor tensor, long sequence, SendCallback callback) {
            lease.pin(tensor);
            this.callback = callback;
            offeredNs = TransferCounters.offeredNs(sequence, peer.engines());
            event = TensorSentEvent.begun();
            isOut = true;
        }

        private void end(String cause) {
            SendCallback listener = callback;
            callback = null;
            if (event != null) {
                event.commit(name, peer.name(), lease.byteSize(), cause);
                event = null;
            }
            isOut = false;
            peer.giveBack(lease);
            synchronized (Loans.this) {
                if (cause == null && counters != null) {
                    counters.onFree(offeredNs, peer.engines());
                }
                free.add(this);
            }
            if (listener != null) {
                listener.onComplete(cause == null ? null : new TransferException(sender + ": " + cause));
            }
            endIfDone();
        }
    }
}
