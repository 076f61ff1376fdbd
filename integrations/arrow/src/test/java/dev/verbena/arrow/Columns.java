package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryEncoder;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.Types.MinorType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.FieldType;

/** A batch with a column of each kind, each third value null where a column has nulls, and what must be in it. */
record Columns(VectorSchemaRoot root, DictionaryProvider.MapDictionaryProvider dictionaries) implements AutoCloseable {
    private static final DictionaryEncoding COLOURS = new DictionaryEncoding(7, false, null);
    private static final List<String> WORDS = List.of("blue", "green", "", "a red that is longer than the others");

    static Columns of(BufferAllocator allocator, int rows, int seed) {
        Dictionary colours = new Dictionary(words(allocator, "colours", 0, WORDS.size(), false), COLOURS);
        List<FieldVector> columns = new ArrayList<>(List.of(ints(allocator, rows, seed), floats(allocator, rows, seed),
                doubles(allocator, rows, seed), bits(allocator, rows, seed),
                words(allocator, "words", seed, rows, true),
                lists(allocator, rows, seed), structs(allocator, rows, seed)));
        try (FieldVector plain = words(allocator, "colour", seed, rows, true)) {
            columns.add((FieldVector) DictionaryEncoder.encode(plain, colours));
        }
        VectorSchemaRoot root = new VectorSchemaRoot(columns);
        root.setRowCount(rows);
        return new Columns(root, new DictionaryProvider.MapDictionaryProvider(colours));
    }

    private static IntVector ints(BufferAllocator allocator, int rows, int seed) {
        IntVector vector = new IntVector("ints", allocator);
        vector.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            if (isNull(i)) {
                vector.setNull(i);
            } else {
                vector.set(i, i * 31 + seed);
            }
        }
        vector.setValueCount(rows);
        return vector;
    }

    private static Float4Vector floats(BufferAllocator allocator, int rows, int seed) {
        Float4Vector vector = new Float4Vector("floats", allocator);
        vector.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            vector.set(i, i / 4f + seed);
        }
        vector.setValueCount(rows);
        return vector;
    }

    /** Grows by itself. */
    private static Float8Vector doubles(BufferAllocator allocator, int rows, int seed) {
        Float8Vector vector = new Float8Vector("doubles", allocator);
        vector.allocateNew(1);
        for (int i = 0; i < rows; i++) {
            vector.setSafe(i, i / 8.0 - seed);
        }
        vector.setValueCount(rows);
        return vector;
    }

    private static BitVector bits(BufferAllocator allocator, int rows, int seed) {
        BitVector vector = new BitVector("bits", allocator);
        vector.allocateNew(rows);
        for (int i = 0; i < rows; i++) {
            vector.set(i, i + seed & 1);
        }
        vector.setValueCount(rows);
        return vector;
    }

    private static VarCharVector words(BufferAllocator allocator, String name, int seed, int rows, boolean hasNulls) {
        VarCharVector vector = new VarCharVector(name, allocator);
        vector.allocateNew();
        for (int i = 0; i < rows; i++) {
            if (hasNulls && isNull(i)) {
                vector.setNull(i);
            } else {
                vector.setSafe(i, word(i + seed).getBytes(StandardCharsets.UTF_8));
            }
        }
        vector.setValueCount(rows);
        return vector;
    }

    private static ListVector lists(BufferAllocator allocator, int rows, int seed) {
        ListVector vector = ListVector.empty("lists", allocator);
        vector.addOrGetVector(FieldType.nullable(MinorType.BIGINT.getType())); // also where no list has an element
        UnionListWriter writer = vector.getWriter(); // its close would be the vector's
        writer.allocate();
        for (int i = 0; i < rows; i++) {
            writer.setPosition(i);
            writer.startList();
            for (int j = 0; j < i % 5; j++) {
                writer.bigInt().writeBigInt(i * 10L + j + seed);
            }
            writer.endList();
        }
        writer.setValueCount(rows);
        vector.setValueCount(rows);
        return vector;
    }

    private static StructVector structs(BufferAllocator allocator, int rows, int seed) {
        StructVector vector = StructVector.empty("structs", allocator);
        IntVector number = vector.addOrGet("number", FieldType.nullable(MinorType.INT.getType()), IntVector.class);
        VarCharVector word = vector.addOrGet("word", FieldType.nullable(MinorType.VARCHAR.getType()),
                VarCharVector.class);
        vector.allocateNew();
        for (int i = 0; i < rows; i++) {
            if (isNull(i)) {
                continue;
            }
            vector.setIndexDefined(i);
            number.setSafe(i, i - seed);
            word.setSafe(i, word(i).getBytes(StandardCharsets.UTF_8));
        }
        vector.setValueCount(rows);
        return vector;
    }

    private static boolean isNull(int row) {
        return row % 3 == 2;
    }

    private static String word(int number) {
        return WORDS.get(number % WORDS.size());
    }

    /** Compares each value with what {@link #of} has put there. */
    static void check(VectorSchemaRoot root, DictionaryProvider dictionaries, int rows, int seed) {
        assertEquals(rows, root.getRowCount());
        FieldVector encoded = root.getVector("colour");
        Dictionary colours = dictionaries.lookup(encoded.getField().getDictionary().getId());
        try (FieldVector decoded = (FieldVector) DictionaryEncoder.decode(encoded, colours)) {
            for (int i = 0; i < rows; i++) {
                assertEquals(isNull(i) ? null : i * 31 + seed, root.getVector("ints").getObject(i));
                assertEquals(i / 4f + seed, root.getVector("floats").getObject(i));
                assertEquals(i / 8.0 - seed, root.getVector("doubles").getObject(i));
                assertEquals((i + seed & 1) == 1, root.getVector("bits").getObject(i));
                assertEquals(isNull(i) ? null : word(i + seed), text(root.getVector("words").getObject(i)));
                assertEquals(isNull(i) ? null : word(i + seed), text(decoded.getObject(i)));
                List<?> list = (List<?>) root.getVector("lists").getObject(i);
                assertEquals(i % 5, list.size());
                for (int j = 0; j < list.size(); j++) {
                    assertEquals(i * 10L + j + seed, list.get(j));
                }
                checkStruct((StructVector) root.getVector("structs"), i, seed);
            }
        }
    }

    private static void checkStruct(StructVector structs, int row, int seed) {
        if (isNull(row)) {
            assertNull(structs.getObject(row));
        } else {
            assertEquals(row - seed, structs.getChild("number").getObject(row));
            assertEquals(word(row), text(structs.getChild("word").getObject(row)));
        }
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    /** Those of all columns, of their children and of the dictionaries, that have bytes. */
    List<ArrowBuf> buffers() {
        List<ArrowBuf> buffers = new ArrayList<>();
        root.getFieldVectors().forEach(vector -> buffers.addAll(List.of(vector.getBuffers(false))));
        for (long id : dictionaries.getDictionaryIds()) {
            buffers.addAll(List.of(dictionaries.lookup(id).getVector().getBuffers(false)));
        }
        return buffers.stream().filter(buffer -> buffer.capacity() > 0).toList();
    }

    @Override
    public void close() {
        root.close();
        dictionaries.close();
    }
}
