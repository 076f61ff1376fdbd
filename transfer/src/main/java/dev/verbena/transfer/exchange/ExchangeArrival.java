package dev.verbena.transfer.exchange;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;

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
    /** What came in the message; null of a rendezvous, and where there is none. */
    Tensor tensor;
    /** Why there is none, as the sender or this side says; null if all is well. */
    String failure;
    /** Of a rendezvous: where the tensor lies, and whom to tell that it is read, and what. */
    long address;
    long rkey;
    long releaseAddress;
    long releaseRkey;
    long releaseWord;

    /** Says what the entry says, but for its bytes. */
    void take(ExchangeEntry entry) {
        call(entry.name(), entry.step());
        kind = entry.kind();
        type = kind.isTensor() ? entry.type() : ElementType.UINT8;
        shape = kind.isTensor() ? entry.shape() : kind == ExchangeEntry.Kind.BYTES ? Shape.of(entry.byteSize()) : null;
        isChecked = entry.isChecked();
        checksum = entry.checksum();
        failure = kind == ExchangeEntry.Kind.ERROR ? entry.text() : null;
        tensor = null;
        if (kind == ExchangeEntry.Kind.RENDEZVOUS) {
            address = entry.rendezvous(0);
            rkey = entry.rendezvous(1);
            releaseAddress = entry.rendezvous(2);
            releaseRkey = entry.rendezvous(3);
            releaseWord = entry.rendezvous(4);
        }
    }

    boolean isRendezvous() {
        return kind == ExchangeEntry.Kind.RENDEZVOUS;
    }

    /** Whether memory is needed before it can be taken from its message. */
    boolean hasBytes() {
        return kind == ExchangeEntry.Kind.EAGER || kind == ExchangeEntry.Kind.BYTES;
    }

    /** Closes what nobody has asked for. */
    void clear() {
        if (tensor != null) {
            tensor.close();
            tensor = null;
        }
    }
}
