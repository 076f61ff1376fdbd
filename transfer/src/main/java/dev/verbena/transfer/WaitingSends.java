package dev.verbena.transfer;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import dev.verbena.memory.Tensor;

/**
 * Tensors that their caller waits for, one at a time: each is offered as soon as it is taken. As long as each is done in time nothing is
 * allocated on the Java heap.
 *
 * <p><b>Owner:</b> a sender. <b>Threading:</b> confined to the thread that offers; callbacks come on any.
 */
final class WaitingSends {
    /** Where tensors are offered. */
    interface Offering {
        /** @see TensorSender#offer(Tensor, SendCallback) */
        SendResult offer(Tensor tensor, SendCallback callback);

        /** What is said of one that is not done in time; {@code isOffered} if it was taken. */
        String complaint(Tensor tensor, Duration timeout, boolean isOffered);
    }

    private final RdmaDevice device;
    private final Offering offering;
    private Sending sending = new Sending();

    WaitingSends(RdmaDevice device, Offering offering) {
        this.device = device;
        this.offering = offering;
    }

    /** @throws TransferException if it fails, or is not done in time */
    void send(Tensor tensor, Duration timeout) {
        send(tensor, timeout, null);
    }

    /** {@code onOffered} hears that it is taken; may be null. */
    void send(Tensor tensor, Duration timeout, Runnable onOffered) {
        Sending current = sending;
        current.tensor = tensor;
        current.onOffered = onOffered;
        boolean isDone = false;
        try {
            current.await(timeout);
            isDone = true;
        } finally {
            if (!isDone) {
                // Its callback may come at any time.
                sending = new Sending();
            }
        }
        try {
            current.check();
        } finally {
            current.reset();
        }
    }

    /** Used for one tensor after the other. */
    private final class Sending implements BooleanSupplier, SendCallback {
        private Tensor tensor;
        private Runnable onOffered;
        private boolean isOffered;
        private TransferException failure;
        private volatile boolean isDone;

        void reset() {
            tensor = null;
            onOffered = null;
            isOffered = false;
            failure = null;
            isDone = false;
        }

        /** Whether it is done; offers it as soon as that is possible. */
        @Override
        public boolean getAsBoolean() {
            if (!isOffered && offering.offer(tensor, this) == SendResult.SENT) {
                isOffered = true;
                if (onOffered != null) {
                    onOffered.run();
                }
            }
            return isDone;
        }

        void await(Duration timeout) {
            if (!device.awaitWrite(this, timeout)) {
                throw new TransferException(offering.complaint(tensor, timeout, isOffered)
                        + (Thread.currentThread().isInterrupted() ? "; interrupted" : ""));
            }
        }

        void check() {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public void onComplete(TransferException cause) {
            failure = cause;
            isDone = true;
        }
    }
}
