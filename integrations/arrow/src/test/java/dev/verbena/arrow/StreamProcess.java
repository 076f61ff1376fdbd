package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * The other end of a stream, in a process of its own, which says line by line what it sees and ends when its standard input does; what is
 * not as it should be ends it with a stack trace.
 *
 * <pre>
 *   read copied|lent [ROWS]...    a reader, which says where it is; checks each batch of so many rows, and where its buffers lie
 *   large copied|lent             the same, of one column of 3 GiB
 *   hold                          borrows a batch and keeps it
 *   lend ENDPOINT                 lends a batch to the reader there, and waits
 * </pre>
 */
final class StreamProcess {
    static final String STREAM = "columns";
    /** Memory of 3 GiB is filled meanwhile, on a machine that may have other things to do. */
    static final Duration PATIENCE = Duration.ofMinutes(5);
    static final int HELD_ROWS = 10_000;
    private static final long MIB = 1 << 20;

    private final PrintStream out;
    private final RdmaDevice device = RdmaDevice
            .create(RdmaDeviceOptions.defaults().withFabric("shm").withName("child"));

    private StreamProcess(PrintStream out) {
        this.out = out;
    }

    static BufferAllocator allocator(TensorArena arena) {
        return new RootAllocator(RootAllocator.configBuilder().roundingPolicy(ArenaRoundingPolicy.INSTANCE)
                .allocationManagerFactory(VerbenaAllocationManager.factory(arena)).build());
    }

    public static void main(String[] arguments) throws Exception {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nothing is said there; its end means that the parent has gone.
                }
            } catch (IOException e) {
                // Likewise.
            }
            Runtime.getRuntime().halt(1);
        });
        try (PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            StreamProcess process = new StreamProcess(out);
            switch (arguments[0]) {
                case "read" -> process.read(arguments[1].equals("lent"),
                        List.of(arguments).subList(2, arguments.length).stream().map(Integer::valueOf).toList());
                case "large" -> process.readLarge(arguments[1].equals("lent"));
                case "hold" -> process.hold();
                case "lend" -> process.lend(Endpoint.parse(arguments[1]));
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            process.device.close();
        }
    }

    private VerbenaStreamReader reader(BufferAllocator allocator, TensorArena arena, boolean isLent) {
        VerbenaStreamReader reader = isLent
                ? VerbenaStreamReader.openBorrowing(allocator, device, STREAM, arena, 64, PATIENCE)
                : VerbenaStreamReader.open(allocator, device, STREAM, arena, 64, PATIENCE);
        out.println(device.endpoint());
        return reader;
    }

    private void read(boolean isLent, List<Integer> rows) throws IOException {
        try (TensorArena arena = TensorArena.create(device.slabSource(), MIB, 256 * MIB)) {
            try (BufferAllocator allocator = allocator(arena);
                    VerbenaStreamReader reader = reader(allocator, arena, isLent)) {
                for (int i = 0; i < rows.size(); i++) {
                    assertTrue(reader.loadNextBatch());
                    VectorSchemaRoot root = reader.getVectorSchemaRoot();
                    Columns.check(root, reader, rows.get(i), i);
                    int buffers = 0;
                    for (FieldVector vector : root.getFieldVectors()) {
                        buffers += checkPlaces(vector, arena, isLent);
                    }
                    for (long id : reader.getDictionaryVectors().keySet()) {
                        checkPlaces(reader.getDictionaryVectors().get(id).getVector(), arena, false);
                    }
                    assertTrue(rows.get(i) == 0 || buffers > 10, "buffers " + buffers);
                    out.println("rows " + root.getRowCount() + " copies " + device.statistics().copies());
                }
                assertEquals(false, reader.loadNextBatch());
                reader.getVectorSchemaRoot().clear();
                reader.getDictionaryVectors().values().forEach(each -> each.getVector().clear());
                out.println("allocated " + allocator.getAllocatedMemory());
            }
            assertEquals(0, arena.statistics().liveByteSize());
        }
    }

    private static int checkPlaces(FieldVector vector, TensorArena arena, boolean isLent) {
        int buffers = 0;
        for (ArrowBuf buffer : vector.getBuffers(false)) {
            if (buffer.capacity() == 0) {
                continue;
            }
            buffers++;
            if (isLent) {
                Mappings.assertBorrowed(buffer);
            } else {
                arena.slabAt(buffer.memoryAddress());
                arena.slabAt(buffer.memoryAddress() + buffer.capacity() - 1);
            }
        }
        return buffers;
    }

    private void readLarge(boolean isLent) throws IOException {
        long byteSizeMax = isLent ? MIB : 4096 * MIB;
        try (TensorArena arena = TensorArena.create(device.slabSource(), MIB, byteSizeMax);
                BufferAllocator allocator = allocator(arena);
                VerbenaStreamReader reader = reader(allocator, arena, isLent)) {
            assertTrue(reader.loadNextBatch());
            BigIntVector vector = (BigIntVector) reader.getVectorSchemaRoot().getVector(0);
            for (int row : new int[]{0, vector.getValueCount() / 3, vector.getValueCount() - 1}) {
                assertEquals(~row, vector.get(row));
            }
            checkPlaces(vector, arena, isLent);
            out.println("bytes " + vector.getDataBuffer().capacity() + " of rows " + vector.getValueCount());
            vector.clear();
            assertEquals(false, reader.loadNextBatch());
            out.println("allocated " + allocator.getAllocatedMemory());
        }
    }

    private void hold() throws Exception {
        TensorArena arena = TensorArena.create(device.slabSource(), MIB, MIB);
        VerbenaStreamReader reader = reader(allocator(arena), arena, true);
        assertTrue(reader.loadNextBatch());
        Columns.check(reader.getVectorSchemaRoot(), reader, HELD_ROWS, 0);
        out.println("holds");
        Thread.sleep(Long.MAX_VALUE);
    }

    private void lend(Endpoint endpoint) throws Exception {
        TensorArena arena = TensorArena.create(device.readableSlabSource(), MIB, 16 * MIB);
        Columns columns = Columns.of(allocator(arena), HELD_ROWS, 0);
        VerbenaStreamWriter.openLending(columns.root(), columns.dictionaries(), device, endpoint, STREAM, arena, 1,
                PATIENCE).writeBatch();
        out.println("lends");
        Thread.sleep(Long.MAX_VALUE);
    }
}
