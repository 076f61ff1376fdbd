package dev.verbena.transfer.exchange;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.protocol.LandingPlaces;

/**
 * What has come from the sender, before and while it is asked for; made once, used many times.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}. <b>Threading:</b> guarded by its owner.
 */
final class ExchangeArrival extends MatchTable.Entry {
    ExchangeEntry.Kind kind;
    ElementType type;
    Shape shape;
    boolean isChecked;
    long checksum;
    /** Of the tensor, or the bytes; 0 where there is none. */
    long byteSize;
    /** What it lands in; null before there is memory for it, and where nothing lands. */
    LandingPlaces.Place place;
    /** Who asks for it; null while nobody does. */
    ExchangeReceive receive;
    /** Why there is none, as the sender or this side says; null if all is well. */
    String failure;
    /** Of a rendezvous: where the tensor lies, and whom to tell that it is read, and of which round. */
    long address;
    long rkey;
    long releaseAddress;
    long releaseRkey;
    long round;

    /** Says what the entry says, but for its bytes. */
    void take(ExchangeEntry entry) {
        call(entry.name(), entry.step());
        kind = entry.kind();
        type = kind.isTensor() ? entry.type() : ElementType.UINT8;
        shape = kind.isTensor() ? entry.shape() : kind == ExchangeEntry.Kind.BYTES ? Shape.of(entry.byteSize()) : null;
        isChecked = entry.isChecked();
        checksum = entry.checksum();
        byteSize = shape == null ? 0 : entry.byteSize();
        failure = kind == ExchangeEntry.Kind.ERROR ? entry.text() : null;
        place = null;
        receive = null;
        if (kind.isOfPlace()) {
            address = entry.rendezvous(0);
            rkey = entry.rendezvous(1);
            releaseAddress = entry.rendezvous(2);
            releaseRkey = entry.rendezvous(3);
            round = entry.rendezvous(4);
        }
    }

    boolean isRendezvous() {
        return kind == ExchangeEntry.Kind.RENDEZVOUS;
    }

    /** Whether memory is needed before it can be taken from its message. */
    boolean hasBytes() {
        return kind == ExchangeEntry.Kind.EAGER || kind == ExchangeEntry.Kind.BYTES;
    }

    /** Whether that is the withdrawal of this one. */
    boolean isWithdrawnBy(ExchangeArrival withdrawal) {
        return isRendezvous() && releaseAddress == withdrawal.releaseAddress && round == withdrawal.round;
    }

    /** Gives up what nobody has asked for. */
    void clear() {
        if (place != null) {
            place.drop();
            place = null;
        }
    }
}
