package dev.verbena.transfer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumSet;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** A peer of a device that has a fabric and no device of its own: it says what it likes. One thread. */
final class RawPeer implements AutoCloseable {
    private static final int DEPTH = 16;
    private static final int REGION_BYTE_SIZE = 64 << 10;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    final Fabric fabric = Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults());
    private final CompletionQueue queue = fabric.createCompletionQueue(1024);
    private final MemoryRegion region = fabric.register(REGION_BYTE_SIZE, EnumSet.of(AccessRight.LOCAL_WRITE));
    private int completions;

    /** @throws TransferException if it is refused */
    Connection connect(RdmaDevice device, int queuePairCount) {
        return fabric.connect(device.endpoint(),
                Collections.nCopies(queuePairCount, new QueuePairOptions(queue, DEPTH, DEPTH, TIMEOUT_NS)), TIMEOUT_NS);
    }

    /** A request of the RPC in one fragment. */
    static byte[] call(long correlationId, String method, int byteSize) {
        byte[] name = method.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 + Long.BYTES + Short.BYTES + name.length + byteSize).put((byte) 0).put((byte) 0)
                .putLong(correlationId).putShort((short) name.length).put(name).array();
    }

    /** Sends it, as soon as there is room. */
    void send(QueuePair queuePair, byte[] message) {
        region.memory().asByteBuffer().put(0, message);
        post(queuePair, new WorkRequest(1).reset(0, Opcode.SEND).element(region, 0, message.length));
    }

    /** Says that a tensor has arrived. */
    void announce(QueuePair queuePair, int receiverId) {
        WorkRequest request = new WorkRequest(1).reset(0, Opcode.WRITE_WITH_IMMEDIATE);
        request.immediate = receiverId;
        post(queuePair, request);
    }

    /** Returns when it is carried out. */
    private void post(QueuePair queuePair, WorkRequest request) {
        int before = completions;
        queuePair.post(request);
        while (completions == before) {
            queue.poll(completion -> completions += completion.workRequestId == 0 ? 1 : 0, DEPTH);
        }
    }

    @Override
    public void close() {
        fabric.close();
    }
}
