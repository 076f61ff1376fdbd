package dev.verbena.transfer;

import java.time.Duration;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.engine.Awaited;
import dev.verbena.transfer.exchange.ExchangeReceive;

/**
 * One question for a tensor by name and step: ends when that has come, when it cannot come any more, or when it is cancelled.
 *
 * <p><b>Owner:</b> who asked with {@link ExchangeReceiver#receive(String, long)}; closing it before it has ended cancels it, and closes what
 * has arrived and nobody took. <b>Threading:</b> thread-safe.
 */
public final class ExchangeRequest implements AutoCloseable {
    private final RdmaDevice device;
    private final ExchangeReceive protocol;
    private final Awaited isDone = new Awaited() {
        @Override
        public boolean getAsBoolean() {
            return isDone();
        }

        @Override
        public boolean mayHoldUntold() {
            return protocol.isHeldUp();
        }
    };

    ExchangeRequest(RdmaDevice device, ExchangeReceive protocol) {
        this.device = device;
        this.protocol = protocol;
    }

    /**
     * Asks anew, when it has ended and what came was taken: for those who ask again and again, and make no object for each.
     *
     * @throws IllegalStateException if it has not; otherwise as {@link ExchangeReceiver#receive(String, long)}
     */
    public void ask(String name, long step) {
        protocol.ask(name, step);
    }

    /** Whether it has ended, well or not. Where callers drive it drives. */
    public boolean isDone() {
        return protocol.isDone();
    }

    /** What has come, once it has ended well. */
    public ExchangeContent content() {
        return protocol.content();
    }

    /**
     * What has come, which is the caller's from then on: a tensor, bytes as a tensor of UINT8, or null if it is
     * {@linkplain ExchangeContent#DEAD dead}.
     *
     * @throws ExchangeException if the sender failed
     * @throws TransferException if the peer is lost, or it came damaged: then with both checksums
     * @throws IllegalStateException if it has not ended, or was taken or cancelled before
     */
    public Tensor take() {
        return protocol.take();
    }

    /**
     * The same, lent to a lease that holds none: when it is given up, its memory is for the next tensor of that type and shape.
     *
     * @return false if it is {@linkplain ExchangeContent#DEAD dead}, and nothing was lent
     */
    public boolean take(TensorLease lease) {
        return protocol.take(lease);
    }

    /**
     * Waits until it has ended.
     *
     * @return whether it has; it may still be waited for, or cancelled
     * @throws OutOfArenaMemoryException if it has not, and the arena has no room for it; wait again when something is freed
     * @throws TransferException if the thread is interrupted
     * @throws IllegalStateException in a callback, which must not wait
     */
    public boolean await(Duration timeout) {
        if (device.awaitWrite(isDone, timeout)) {
            return true;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new TransferException("interrupted while waiting for " + protocol);
        }
        String need = protocol.awaitsMemory();
        if (need != null) {
            throw new OutOfArenaMemoryException(need + "; free some, or give it a larger budget");
        }
        return false;
    }

    /** Nobody asks any more: what comes later is for who asks then. What is being read is read, and closed. @return whether it had not ended */
    public boolean cancel() {
        return protocol.cancel();
    }

    /** As {@link #cancel}. Idempotent. */
    @Override
    public void close() {
        protocol.cancel();
    }

    @Override
    public String toString() {
        return protocol.toString();
    }
}
