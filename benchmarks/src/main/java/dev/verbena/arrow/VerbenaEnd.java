package dev.verbena.arrow;

import java.io.IOException;
import java.time.Duration;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * Batches over shared memory, copied once by their reader, or lent.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
final class VerbenaEnd implements BatchEnd {
    private static final String STREAM = "batches";
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    /** More than a batch has buffers. */
    private static final int DEPTH = 64;
    private static final int BATCHES_ON_LOAN_MAX = 8;
    private static final long ARENA_BYTE_SIZE = 1L << 20;
    private static final long ARENA_BYTE_SIZE_MAX = 1L << 30;

    private final RdmaDevice device;
    private final TensorArena arena;
    private final BufferAllocator allocator;
    private final BatchColumns columns;
    private final boolean isLent;
    private final String peer;
    private final VerbenaStreamReader reader;
    /** Null before the first batch. */
    private VerbenaStreamWriter writer;

    /** The writing end if there is a peer, otherwise the reading one. */
    VerbenaEnd(boolean isLent, String peer) {
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withProgress(Progress.callers())
                .withName(peer == null ? "reader" : "writer"));
        arena = TensorArena.create(peer == null ? device.slabSource() : device.readableSlabSource(), ARENA_BYTE_SIZE,
                ARENA_BYTE_SIZE_MAX);
        allocator = new RootAllocator(RootAllocator.configBuilder().roundingPolicy(ArenaRoundingPolicy.INSTANCE)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
        columns = peer == null ? null : new BatchColumns(allocator);
        this.isLent = isLent;
        this.peer = peer;
        if (peer == null) {
            reader = isLent ? VerbenaStreamReader.openBorrowing(allocator, device, STREAM, arena, DEPTH, PATIENCE)
                    : VerbenaStreamReader.open(allocator, device, STREAM, arena, DEPTH, PATIENCE);
        } else {
            reader = null;
        }
    }

    /** When the reader waits for batches, and so drives. */
    private VerbenaStreamWriter open() {
        Endpoint endpoint = Endpoint.parse(peer);
        VectorSchemaRoot root = columns.root();
        return isLent
                ? VerbenaStreamWriter.openLending(root, null, device, endpoint, STREAM, arena, BATCHES_ON_LOAN_MAX,
                        PATIENCE)
                : VerbenaStreamWriter.open(root, null, device, endpoint, STREAM, arena, PATIENCE);
    }

    @Override
    public String address() {
        return reader == null ? null : device.endpoint().toString();
    }

    @Override
    public long run(int byteSize, int count) throws IOException {
        if (reader != null) {
            for (int i = 0; i < count; i++) {
                if (!reader.loadNextBatch()) {
                    throw new IllegalStateException("the stream has ended after " + i + " of " + count + " batches");
                }
                BatchColumns.check(reader.getVectorSchemaRoot(), byteSize);
            }
            return System.nanoTime();
        }
        columns.load(byteSize);
        if (writer == null) {
            writer = open();
        }
        long begunNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            columns.load(byteSize);
            writer.writeBatch();
        }
        return begunNs;
    }

    @Override
    public void close() throws IOException {
        device.close();
    }
}
