package dev.verbena.arrow;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Batches of four columns of doubles, made once for each size, so that writing one costs nothing but writing it.
 *
 * <p><b>Owner:</b> the writing end. <b>Threading:</b> confined to it.
 */
final class BatchColumns implements AutoCloseable {
    private static final int COLUMNS = 4;
    private static final Schema SCHEMA = new Schema(IntStream.range(0, COLUMNS)
            .mapToObj(i -> Field.nullable("column " + i, MinorType.FLOAT8.getType())).toList());

    private final BufferAllocator allocator;
    private final VectorSchemaRoot root;
    private final Map<Integer, ArrowRecordBatch> batches = new HashMap<>();

    BatchColumns(BufferAllocator allocator) {
        this.allocator = allocator;
        root = VectorSchemaRoot.create(SCHEMA, allocator);
    }

    /** What is written: one of {@link #load}. */
    VectorSchemaRoot root() {
        return root;
    }

    static int rows(int byteSize) {
        return byteSize / COLUMNS / Double.BYTES;
    }

    /** Those of that size, whose buffers the root and the batch share. */
    void load(int byteSize) {
        new VectorLoader(root).load(batches.computeIfAbsent(byteSize, this::made));
    }

    private ArrowRecordBatch made(int byteSize) {
        int rows = rows(byteSize);
        try (VectorSchemaRoot filled = VectorSchemaRoot.create(SCHEMA, allocator)) {
            for (FieldVector each : filled.getFieldVectors()) {
                Float8Vector vector = (Float8Vector) each;
                vector.allocateNew(rows);
                for (int i = 0; i < rows; i++) {
                    vector.set(i, value(i, byteSize));
                }
            }
            filled.setRowCount(rows);
            return new VectorUnloader(filled).getRecordBatch();
        }
    }

    private static double value(int row, int byteSize) {
        return row * 0.5 + byteSize;
    }

    /** @throws IllegalStateException if it is not what was loaded, as its first and last rows tell */
    static void check(VectorSchemaRoot received, int byteSize) {
        int rows = rows(byteSize);
        List<FieldVector> vectors = received.getFieldVectors();
        if (received.getRowCount() != rows || vectors.size() != COLUMNS) {
            throw new IllegalStateException("rows=" + received.getRowCount() + " columns=" + vectors.size()
                    + " came instead of rows=" + rows + " columns=" + COLUMNS);
        }
        for (FieldVector each : vectors) {
            for (int row : new int[]{0, rows - 1}) {
                double value = ((Float8Vector) each).get(row);
                if (value != value(row, byteSize)) {
                    throw new IllegalStateException(each.getName() + "[" + row + "]=" + value + " instead of "
                            + value(row, byteSize));
                }
            }
        }
    }

    @Override
    public void close() {
        batches.values().forEach(ArrowRecordBatch::close);
        root.close();
    }
}
