package dev.verbena.transfer.protocol;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What a device has moved.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class TransferCounters {
    private final AtomicLong transfers = new AtomicLong();
    private final AtomicLong transferredByteSize = new AtomicLong();
    private final AtomicLong copies = new AtomicLong();
    private final AtomicLong copiedByteSize = new AtomicLong();

    /** All zero. */
    public TransferCounters() {}

    void onTransfer(long byteSize) {
        transfers.incrementAndGet();
        transferredByteSize.addAndGet(byteSize);
    }

    void onCopy(long byteSize) {
        copies.incrementAndGet();
        copiedByteSize.addAndGet(byteSize);
    }

    public long transfers() {
        return transfers.get();
    }

    public long transferredByteSize() {
        return transferredByteSize.get();
    }

    public long copies() {
        return copies.get();
    }

    public long copiedByteSize() {
        return copiedByteSize.get();
    }
}
