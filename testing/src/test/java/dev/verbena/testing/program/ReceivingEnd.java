package dev.verbena.testing.program;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.ExchangeReceiver;
import dev.verbena.transfer.ExchangeRequest;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TransferException;

/**
 * Takes the tensors of a stream, looks whether each is the next one and whole, holds it for a while, and looks again.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> the program's thread.
 */
public final class ReceivingEnd {
    /** Slots of an exchange are large. */
    private static final int MESSAGES_MAX = 2;

    /** Arrived, and not given back yet. */
    private record Held(Tensor tensor, int sequence, long untilNs) {}

    private final World world;
    private final Stream stream;
    private final Host host;
    private final int holdNsMax;
    private final Consumer<TransferException> onFailure;
    private final List<Held> held = new ArrayList<>();
    /** One of them is there when it is announced. */
    private TensorReceiver receiver;
    private DynamicTensorReceiver dynamicReceiver;
    private ExchangeReceiver exchangeReceiver;
    /** For the next tensor of an exchange; null before the first. */
    private ExchangeRequest request;
    private boolean isAsked;
    private int received;
    private String failure;
    private boolean isClosed;

    /** Nothing is made before {@link #announce}; it holds each tensor for up to so long. */
    public ReceivingEnd(World world, Stream stream, Host host, int holdNsMax, Consumer<TransferException> onFailure) {
        this.world = world;
        this.stream = stream;
        this.host = host;
        this.holdNsMax = holdNsMax;
        this.onFailure = onFailure;
    }

    /** Lets it be found. */
    public void announce() {
        switch (stream.protocol()) {
            case STATIC -> receiver = host.device().receiver(stream.name(), host.arena(), ElementType.INT64,
                    stream.shape(), stream.depth());
            case DYNAMIC -> dynamicReceiver = host.device().dynamicReceiver(stream.name(), host.arena(),
                    stream.depth());
            case EXCHANGE -> exchangeReceiver = host.device().exchangeReceiver(stream.name(), host.arena(),
                    Math.min(stream.depth(), MESSAGES_MAX));
        }
    }

    /** Gives back what it has held for long enough, and takes the next one. */
    public void takeTurn() {
        if (!isAnnounced() || isClosed) {
            return;
        }
        giveBack(false);
        if (failure == null) {
            poll();
        }
    }

    private void poll() {
        try {
            Tensor tensor = switch (stream.protocol()) {
                case STATIC -> receiver.poll();
                case DYNAMIC -> dynamicReceiver.poll();
                case EXCHANGE -> takeAskedFor();
            };
            if (tensor != null) {
                int sequence = received++;
                check(tensor, sequence, "as it arrives");
                held.add(new Held(tensor, sequence, world.nowNs() + world.random().nextInt(holdNsMax)));
            } else if (dynamicReceiver != null && dynamicReceiver.pollDead()) {
                checkDead(received++);
            }
        } catch (TransferException e) {
            failure = e.getMessage();
            onFailure.accept(e);
        }
    }

    private void checkDead(int sequence) {
        if (!stream.isDead(sequence)) {
            world.violate(this + " tensor " + sequence + " arrives as a dead one");
        }
    }

    private Tensor takeAskedFor() {
        if (request == null) {
            request = exchangeReceiver.receive(stream.name(), received);
            isAsked = true;
        }
        if (!isAsked) {
            request.ask(stream.name(), received);
            isAsked = true;
        }
        if (!request.isDone()) {
            return null;
        }
        isAsked = false;
        return request.take();
    }

    private void giveBack(boolean all) {
        for (Iterator<Held> each = held.iterator(); each.hasNext();) {
            Held next = each.next();
            if (all || next.untilNs <= world.nowNs()) {
                each.remove();
                check(next.tensor, next.sequence, "as it is given back");
                next.tensor.close();
            }
        }
    }

    private void check(Tensor tensor, int sequence, String when) {
        String fault = stream.fault(tensor, sequence);
        if (fault != null) {
            world.violate(this + " tensor " + sequence + " " + when + ": " + fault);
        }
    }

    /** Whatever is under way. */
    public void close() {
        if (!isAnnounced() || isClosed) {
            return;
        }
        isClosed = true;
        giveBack(true);
        switch (stream.protocol()) {
            case STATIC -> receiver.close();
            case DYNAMIC -> dynamicReceiver.close();
            case EXCHANGE -> {
                exchangeReceiver.close();
                if (request != null) {
                    request.close();
                }
            }
        }
    }

    public boolean isAnnounced() {
        return receiver != null || dynamicReceiver != null || exchangeReceiver != null;
    }

    public boolean isClosed() {
        return isClosed;
    }

    public int received() {
        return received;
    }

    /** Null while all is well. */
    public String failure() {
        return failure;
    }

    @Override
    public String toString() {
        return stream.name() + " to " + host;
    }
}
