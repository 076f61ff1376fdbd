package dev.verbena.transfer.exchange;

/**
 * What a sending end of an exchange has chosen.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeSender}. <b>Threading:</b> written while driving; read by any thread, each figure by itself.
 */
public final class ExchangeCounters {
    private volatile long messages;
    private volatile long eager;
    private volatile long eagerByteSize;
    private volatile long rendezvous;
    private volatile long rendezvousByteSize;
    private volatile long shapes;
    private volatile long withdrawn;

    ExchangeCounters() {}

    void onMessage() {
        messages = messages + 1;
    }

    void onSend(ExchangeEntry.Kind kind, long byteSize, int flags) {
        if (kind == ExchangeEntry.Kind.EAGER) {
            eager = eager + 1;
            eagerByteSize = eagerByteSize + byteSize;
        } else if (kind == ExchangeEntry.Kind.RENDEZVOUS) {
            rendezvous = rendezvous + 1;
            rendezvousByteSize = rendezvousByteSize + byteSize;
        }
        if ((flags & ExchangeEntry.SHAPED) != 0) {
            shapes = shapes + 1;
        }
    }

    void onWithdrawn() {
        withdrawn = withdrawn + 1;
    }

    public long messages() {
        return messages;
    }

    public long eager() {
        return eager;
    }

    public long eagerByteSize() {
        return eagerByteSize;
    }

    public long rendezvous() {
        return rendezvous;
    }

    public long rendezvousByteSize() {
        return rendezvousByteSize;
    }

    public long withdrawn() {
        return withdrawn;
    }

    public long shapes() {
        return shapes;
    }
}
