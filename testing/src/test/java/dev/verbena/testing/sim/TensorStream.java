package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorView;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * Tensors from one device to another, each with a content of its own, and what must become of them.
 *
 * <p><b>Owner:</b> {@link DeviceProgram}. <b>Threading:</b> one thread.
 */
final class TensorStream {
    private static final int TENSORS_MAX = 200;

    /** Arrived, and not given back yet. */
    private record Held(Tensor tensor, int sequence, long untilNs) {}

    private final DeviceProgram program;
    private final int id;
    private final SimDevice from;
    private final SimDevice to;
    private final Random random;
    private final int depth;
    private final Shape shape;
    private final List<Held> held = new ArrayList<>();
    /** How often each offer's callback was called. */
    private final List<Integer> callbacks = new ArrayList<>();
    /** Null before it is made, and where that failed. */
    private TensorReceiver receiver;
    private TensorSender sender;
    private String senderFailure;
    private String receiverFailure;
    private boolean isSenderClosed;
    private boolean isReceiverClosed;
    private boolean isOffering = true;
    private int received;

    TensorStream(DeviceProgram program, int id, SimDevice from, SimDevice to, Random random) {
        this.program = program;
        this.id = id;
        this.from = from;
        this.to = to;
        this.random = random;
        depth = 1 + random.nextInt(3);
        shape = Shape.of(1 + random.nextInt(3), 1 + random.nextInt(100));
        from.adopt(this);
        to.adopt(this);
    }

    /** Lets it be found. */
    void announce() {
        receiver = to.device().receiver("stream " + id, to.arena(), ElementType.INT64, shape, depth);
    }

    /** The same, if it is not too late. */
    void announceLate() {
        if (!to.hasEnded()) {
            try {
                announce();
            } catch (OutOfArenaMemoryException e) {
                if (program.isMemorySure()) {
                    throw e;
                }
            }
        }
    }

    /** Waits for the placement. */
    void connect() {
        sender = from.channel(to, id % 2).sender("stream " + id, ElementType.INT64, shape, DeviceProgram.TIMEOUT);
    }

    // ---- turns ----

    void takeTurn(SimDevice device) {
        if (device == to && receiver != null && !isReceiverClosed) {
            giveBack(false);
            poll();
        }
        if (device == from && sender != null && !isSenderClosed && isOffering && random.nextInt(3) == 0) {
            offer();
        }
    }

    private void offer() {
        if (senderFailure != null || callbacks.size() == TENSORS_MAX) {
            return;
        }
        int sequence = callbacks.size();
        boolean isView = random.nextInt(4) == 0
                && shape.dimension(0) < from.device().capabilities().elementCountMax();
        long width = shape.dimension(1);
        Tensor tensor = from.arena().tryAllocate(ElementType.INT64,
                isView ? Shape.of(shape.dimension(0), 2 * width) : shape);
        if (tensor == null) {
            return;
        }
        SendCallback callback = failure -> onEnd(sequence, failure);
        callbacks.add(0);
        SendResult result = SendResult.BACK_PRESSURED;
        // Pinned as long as it is sent: the arena must not give its memory to the next before.
        try (tensor; TensorView view = TensorView.of(tensor, tensor.layout().narrowed(1, 0, width))) {
            fill(tensor, sequence, width);
            result = isView ? sender.offer(view, callback) : sender.offer(tensor, callback);
        } catch (TransferException e) {
            failSender(e);
        }
        if (result == SendResult.BACK_PRESSURED) {
            callbacks.removeLast();
        }
    }

    private void onEnd(int sequence, TransferException failure) {
        callbacks.set(sequence, callbacks.get(sequence) + 1);
        if (callbacks.get(sequence) > 1) {
            program.violate(this + " heard twice of tensor " + sequence);
        }
        if (failure != null) {
            failSender(failure);
        }
    }

    private void poll() {
        if (receiverFailure != null) {
            return;
        }
        try {
            Tensor tensor = receiver.poll();
            if (tensor != null) {
                int sequence = received++;
                check(tensor, sequence, "as it arrives");
                held.add(new Held(tensor, sequence, program.simulation().deviceNs() + random.nextInt(30_000)));
            }
        } catch (TransferException e) {
            receiverFailure = e.getMessage();
            checkCause(e);
        }
    }

    private void failSender(TransferException e) {
        senderFailure = e.getMessage();
        checkCause(e);
    }

    private void checkCause(TransferException e) {
        if (program.isHarmless(from, to) && !isSenderClosed && !isReceiverClosed) {
            program.violate(this + " failed though nothing has: " + e.getMessage());
        }
    }

    private void giveBack(boolean all) {
        for (Iterator<Held> each = held.iterator(); each.hasNext();) {
            Held next = each.next();
            if (all || next.untilNs <= program.simulation().deviceNs()) {
                each.remove();
                check(next.tensor, next.sequence, "as it is given back");
                next.tensor.close();
            }
        }
    }

    // ---- content ----

    private void fill(Tensor tensor, int sequence, long width) {
        long stride = tensor.shape().dimension(1);
        for (long row = 0; row < shape.dimension(0); row++) {
            for (long i = 0; i < width; i++) {
                tensor.memory().setAtIndex(JAVA_LONG, row * stride + i, content(sequence, row * width + i));
            }
        }
    }

    private void check(Tensor tensor, int sequence, String when) {
        for (long i = 0; i < shape.elementCount(); i++) {
            long value = tensor.memory().getAtIndex(JAVA_LONG, i);
            if (value != content(sequence, i)) {
                program.violate(this + " tensor " + sequence + " " + when + ": element " + i + " is "
                        + Long.toHexString(value) + " not " + Long.toHexString(content(sequence, i)));
                return;
            }
        }
    }

    private long content(int sequence, long index) {
        return (id + 1L) << 40 | (sequence + 1L) << 16 | index;
    }

    // ---- ends ----

    void stopOffering() {
        isOffering = false;
    }

    void closeSender() {
        if (sender == null || isSenderClosed || from.isGone()) {
            return;
        }
        isSenderClosed = true;
        sender.close();
        if (!from.isGone() && !from.isStill()) {
            checkCallbacks();
        }
    }

    /** Whatever is under way. */
    boolean mayCloseReceiver() {
        return receiver != null && !isReceiverClosed && !to.isGone();
    }

    void closeReceiver() {
        if (receiver == null || isReceiverClosed || to.isGone()) {
            return;
        }
        isReceiverClosed = true;
        giveBack(true);
        receiver.close();
    }

    /** Its end on that device ends. */
    void leave(SimDevice device) {
        if (device == from) {
            closeSender();
        }
        if (device == to) {
            closeReceiver();
        }
    }

    /** After the sender's end: each offer has ended. */
    void checkCallbacks() {
        for (int i = 0; i < callbacks.size(); i++) {
            if (callbacks.get(i) != 1) {
                program.violate(this + " heard of tensor " + i + " times=" + callbacks.get(i));
            }
        }
    }

    /** Whether all that was offered has arrived, or both sides know that it will not. */
    boolean isSettled() {
        if (sender == null) {
            return true;
        }
        if (received > callbacks.size()) {
            program.violate(state() + " has more than was offered");
        }
        return isSenderSettled() && isReceiverSettled();
    }

    private boolean isSenderSettled() {
        if (from.isGone() || isSenderClosed || senderFailure != null) {
            return true;
        }
        lookAtSender();
        return senderFailure != null
                || !to.hasEnded() && !from.hasEnded() && receiverFailure == null && received == callbacks.size()
                        && callbacks.stream().allMatch(times -> times == 1);
    }

    private boolean isReceiverSettled() {
        return to.isGone() || isReceiverClosed || receiverFailure != null || receiver == null
                || received == callbacks.size() && senderFailure == null;
    }

    private void lookAtSender() {
        try {
            sender.isReady();
        } catch (TransferException e) {
            failSender(e);
        }
    }

    boolean hasFailed() {
        return sender == null || senderFailure != null || receiverFailure != null;
    }

    int received() {
        return received;
    }

    String state() {
        return this + " offered=" + callbacks.size() + " received=" + received + " ended="
                + callbacks.stream().filter(times -> times == 1).count() + " sender="
                + (isSenderClosed ? "closed " : "") + senderFailure + " receiver="
                + (isReceiverClosed ? "closed " : "") + receiverFailure;
    }

    @Override
    public String toString() {
        return "stream " + id + " " + from + "->" + to;
    }
}
