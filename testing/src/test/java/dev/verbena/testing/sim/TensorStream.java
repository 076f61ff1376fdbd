package dev.verbena.testing.sim;

import java.util.Random;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.testing.program.EndReport;
import dev.verbena.testing.program.ReceivingEnd;
import dev.verbena.testing.program.SendingEnd;
import dev.verbena.testing.program.Stream;
import dev.verbena.transfer.TransferException;

/**
 * Both ends of a stream, and what must become of it.
 *
 * <p><b>Owner:</b> {@link DeviceProgram}. <b>Threading:</b> one thread.
 */
final class TensorStream {
    private static final int WIDTH_MAX = 100;
    private static final int HOLD_NS_MAX = 30_000;
    /** Of a consumer that is slow. */
    private static final int LONG_HOLD_NS_MAX = 2_000_000;
    private static final long PAUSE_NS = 20_000;

    private final DeviceProgram program;
    private final SimDevice from;
    private final SimDevice to;
    private final Random random;
    private final Stream stream;
    private final boolean isSlow;
    /** Null before the sending device has begun. */
    private SendingEnd sender;
    /** While its process lived: what the simulation lets a dead one hear, nobody hears. */
    private boolean hasSenderFailed;
    /** Null before the receiver is announced. */
    private ReceivingEnd receiver;
    private boolean isOffering = true;

    TensorStream(DeviceProgram program, int id, SimDevice from, SimDevice to, Random random) {
        this.program = program;
        this.from = from;
        this.to = to;
        this.random = random;
        stream = Stream.random(id, random, WIDTH_MAX);
        isSlow = random.nextInt(8) == 0;
        sender = new SendingEnd(program, stream, from.host(), this::onSenderFailed);
        from.adopt(this);
        to.adopt(this);
    }

    Stream.Protocol protocol() {
        return stream.protocol();
    }

    boolean isSlow() {
        return isSlow;
    }

    /** Lets it be found. */
    void announce() {
        receiver = new ReceivingEnd(program, stream, to.host(), isSlow ? LONG_HOLD_NS_MAX : HOLD_NS_MAX,
                this::checkCause);
        receiver.announce();
    }

    /** The same, as soon as there is a device, if it is not too late. */
    void announceLate() {
        if (!to.hasBegun()) {
            program.simulation().schedule(PAUSE_NS, this + " is not announced yet", this::announceLate);
        } else if (!to.hasEnded()) {
            try {
                announce();
            } catch (OutOfArenaMemoryException e) {
                receiver = null;
                if (program.isMemorySure()) {
                    throw e;
                }
            }
        }
    }

    /** Waits for the placement. */
    void connect() {
        sender.connect(to.endpoint(), DeviceProgram.TIMEOUT);
    }

    // ---- turns ----

    void takeTurn(SimDevice device) {
        if (device == to && receiver != null) {
            receiver.takeTurn();
        }
        if (device == from && isOffering && random.nextInt(3) == 0) {
            sender.offer();
        } else if (device == from) {
            sender.look();
        }
    }

    private void onSenderFailed(TransferException e) {
        hasSenderFailed |= !from.isDead();
        checkCause(e);
    }

    private void checkCause(TransferException e) {
        if (program.isHarmless(from, to) && !sender.isClosed() && !isReceiverClosed()) {
            program.violate(this + " failed though nothing has: " + e.getMessage());
        }
    }

    private boolean isReceiverClosed() {
        return receiver != null && receiver.isClosed();
    }

    // ---- ends ----

    void stopOffering() {
        isOffering = false;
        sender.dropPlaced();
    }

    void closeSender() {
        if (!sender.isConnected() || sender.isClosed() || from.isGone()) {
            return;
        }
        sender.close();
        if (!from.isGone() && !from.isStill()) {
            checkCallbacks();
        }
    }

    /** Whatever is under way. */
    boolean mayCloseReceiver() {
        return receiver != null && !receiver.isClosed() && !to.isGone();
    }

    void closeReceiver() {
        if (mayCloseReceiver()) {
            receiver.close();
        }
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
        sender.checkCallbacks();
    }

    /** Whether all that was offered has arrived, or both sides know that it will not. */
    boolean isSettled() {
        if (!from.isGone()) {
            sender.look();
        }
        EndReport sent = new EndReport(sender.isConnected(), sender.offered(), sender.ended() == sender.offered(),
                sender.isClosed(), hasSenderFailed);
        EndReport got = receiver == null ? EndReport.NONE
                : new EndReport(true, receiver.received(), true, receiver.isClosed(), receiver.failure() != null);
        String fault = EndReport.fault(sent, got, false);
        if (fault != null) {
            program.violate(state() + ": " + fault);
        }
        return EndReport.areSettled(sent, got, from.isGone(), to.isGone(), !from.hasEnded() && !to.hasEnded());
    }

    boolean hasFailed() {
        return !sender.isConnected() || sender.failure() != null || receiver == null || receiver.failure() != null;
    }

    int received() {
        return receiver == null ? 0 : receiver.received();
    }

    String state() {
        return this + " offered=" + sender.offered() + " received=" + received() + " ended=" + sender.ended()
                + " sender=" + (sender.isClosed() ? "closed " : "") + sender.failure() + " receiver="
                + (isReceiverClosed() ? "closed " : "") + (receiver == null ? "none" : receiver.failure());
    }

    @Override
    public String toString() {
        return "stream " + stream.id() + " " + from + "->" + to;
    }
}
