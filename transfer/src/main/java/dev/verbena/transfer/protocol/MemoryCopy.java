package dev.verbena.transfer.protocol;

import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Request;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;

/**
 * One asynchronous copy between local and remote memory (EuroSys'19 Table 1, Memcpy), in as many requests as the device's
 * largest message makes necessary, one after the other.
 *
 * <p><b>Owner:</b> {@link MemoryCopies}. <b>Threading:</b> started by the thread that took it from the pool, goes on while
 * driving.
 */
final class MemoryCopy extends Request {
    private final MemoryCopies pool;
    private Opcode opcode;
    private MemoryRegion local;
    private long localOffset;
    private long remoteAddress;
    private long rkey;
    private long left;
    private SendCallback callback;

    MemoryCopy(MemoryCopies pool) {
        super(1);
        this.pool = pool;
    }

    void start(Opcode opcode, MemoryRegion local, long localOffset, long remoteAddress, long rkey, long byteSize,
            SendCallback callback) {
        this.opcode = opcode;
        this.local = local;
        this.localOffset = localOffset;
        this.remoteAddress = remoteAddress;
        this.rkey = rkey;
        this.left = byteSize;
        this.callback = callback;
        prepareChunk();
        pool.queuePair().execute(this);
    }

    @Override
    protected void onDone(String failure) {
        if (failure == null && left > 0) {
            prepareChunk();
            pool.queuePair().submit(this);
            return;
        }
        SendCallback listener = callback;
        callback = null;
        local = null;
        pool.giveBack(this);
        if (listener != null) {
            listener.onComplete(failure == null ? null : new TransferException("memcpy failed: " + failure));
        }
    }

    private void prepareChunk() {
        long byteSize = Math.min(left, pool.messageByteSizeMax());
        workRequest.reset(0, opcode).element(local, localOffset, byteSize).remote(remoteAddress, rkey);
        localOffset += byteSize;
        remoteAddress += byteSize;
        left -= byteSize;
    }
}
