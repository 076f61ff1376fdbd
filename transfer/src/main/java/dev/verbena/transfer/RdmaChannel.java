package dev.verbena.transfer;

import java.time.Duration;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.spi.MemoryRegion;

/** Interim signature. One queue pair to one peer (EuroSys'19 Table 1). Thread-safe. */
public final class RdmaChannel {
    private RdmaChannel() {}

    public String peerName() {
        throw new UnsupportedOperationException();
    }

    /** Copies between local and remote memory, asynchronously. BACK_PRESSURED when the queue is full. */
    public SendResult memcpy(MemoryRegion local, long localOffset, RemoteRegion remote, long remoteOffset,
            long byteSize,
            Direction direction, SendCallback callback) {
        throw new UnsupportedOperationException();
    }

    /** The sending end for the peer's receiver of that name; waits until the peer has it, up to the timeout. */
    public TensorSender sender(String name, ElementType type, Shape shape, Duration timeout) {
        throw new UnsupportedOperationException();
    }
}
