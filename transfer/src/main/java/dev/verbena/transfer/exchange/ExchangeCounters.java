package dev.verbena.transfer.exchange;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a sending end of an exchange has chosen.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeSender}. <b>Threading:</b> written while driving; read by any thread, each figure by itself.
 */
public final class ExchangeCounters {
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong eager = new AtomicLong();
    private final AtomicLong eagerByteSize = new AtomicLong();
    private final AtomicLong rendezvous = new AtomicLong();
    private final AtomicLong rendezvousByteSize = new AtomicLong();
    private final AtomicLong shapes = new AtomicLong();
    private final AtomicLong withdrawn = new AtomicLong();

    ExchangeCounters() {}

    /** By the one writer: no locked instruction. */
    private static void add(AtomicLong figure, long value) {
        figure.setRelease(figure.getPlain() + value);
    }

    void onMessage() {
        add(messages, 1);
    }

    void onSend(ExchangeEntry.Kind kind, long byteSize, int flags) {
        if (kind == ExchangeEntry.Kind.EAGER) {
            add(eager, 1);
            add(eagerByteSize, byteSize);
        } else if (kind == ExchangeEntry.Kind.RENDEZVOUS) {
            add(rendezvous, 1);
            add(rendezvousByteSize, byteSize);
        }
        if ((flags & ExchangeEntry.SHAPED) != 0) {
            add(shapes, 1);
        }
    }

    void onWithdrawn() {
        add(withdrawn, 1);
    }

    public long messages() {
        return messages.get();
    }

    public long eager() {
        return eager.get();
    }

    public long eagerByteSize() {
        return eagerByteSize.get();
    }

    public long rendezvous() {
        return rendezvous.get();
    }

    public long rendezvousByteSize() {
        return rendezvousByteSize.get();
    }

    public long withdrawn() {
        return withdrawn.get();
    }

    public long shapes() {
        return shapes.get();
    }
}
