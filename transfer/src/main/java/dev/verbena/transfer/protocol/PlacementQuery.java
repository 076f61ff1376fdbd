package dev.verbena.transfer.protocol;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Asks a peer for the slots of a receiver, again and again until it has announced them or time is up: the address distribution
 * of EuroSys'19 §3.4, off the path of any tensor.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> blocks its caller.
 */
public final class PlacementQuery {
    private static final long PAUSE_NS_MIN = 1_000_000;
    private static final long PAUSE_NS_MAX = 20_000_000;
    /** A question asked in time may be answered later. */
    private static final long ANSWER_NS = 5_000_000_000L;

    private PlacementQuery() {}

    /** The sender for the peer's receiver of that name. */
    public static StaticPlacementSender sender(SenderDirectory directory, String name, ElementType type, Shape shape,
            PeerConnection peer,
            int queuePairIndex, ControlMemory memory, Capabilities capabilities, TransferCounters counters,
            Duration timeout) {
        Tensor acknowledgement = memory.words().allocate(ElementType.INT64,
                Shape.of(SlotLayout.LINE / SlotLayout.WORD));
        try {
            MemoryRegion region = (MemoryRegion) acknowledgement.slab();
            PlacementRequest request = new PlacementRequest(name, type, shape, directory.nextId(), queuePairIndex,
                    region.address() + acknowledgement.slabOffset(), region.rkey());
            Words.setRelease(acknowledgement.memory(), 0, 0);
            PlacementAnswer answer = ask(request, peer, timeout);
            StaticPlacementSender sender = new StaticPlacementSender(directory, request, answer, peer, acknowledgement,
                    memory.messages(), capabilities, counters);
            directory.add(sender);
            return sender;
        } catch (RuntimeException e) {
            peer.giveBack(acknowledgement);
            throw e;
        }
    }

    private static PlacementAnswer ask(PlacementRequest request, PeerConnection peer, Duration timeout) {
        byte[] message = request.encode();
        long deadline = peer.engines().nanoTime() + timeout.toNanos();
        for (long pause = PAUSE_NS_MIN;; pause = Math.min(2 * pause, PAUSE_NS_MAX)) {
            Duration left = Duration.ofNanos(Math.max(deadline - peer.engines().nanoTime(), 0) + ANSWER_NS);
            PlacementAnswer answer = call(request, message, peer, left);
            if (answer.announced()) {
                return answer;
            }
            if (peer.engines().nanoTime() + pause > deadline) {
                throw new TransferException("peer " + peer.name() + " has no receiver '" + request.name() + "' after "
                        + TimeUnit.NANOSECONDS.toMillis(timeout.toNanos()) + " ms; create it there first");
            }
            peer.engines().await(() -> peer.failure() != null, pause);
        }
    }

    /** Without an answer it is not known whether the receiver is bound: so it is told that nobody comes. */
    private static PlacementAnswer call(PlacementRequest request, byte[] message, PeerConnection peer,
            Duration timeout) {
        try {
            return PlacementAnswer.decode(peer.call(ReceiverDirectory.PLACEMENT, message, timeout));
        } catch (TransferException e) {
            peer.takeLeave(Farewell.OF_SENDER, new Farewell(Farewell.ANY_RECEIVER, request.senderId(), 0),
                    "sender '" + request.name() + "'");
            throw e;
        }
    }
}
