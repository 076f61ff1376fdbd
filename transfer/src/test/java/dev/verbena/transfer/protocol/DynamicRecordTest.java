package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;

class DynamicRecordTest {
    private static final int WORDS = (int) (DynamicRecord.BYTE_SIZE / Long.BYTES);
    private static final int CHECKSUM = WORDS - 1;
    private static final int SEQUENCE = CHECKSUM - 1;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment words = arena.allocate(DynamicRecord.BYTE_SIZE, Long.BYTES);
    private final DynamicRecord record = new DynamicRecord();
    private Fabric fabric;
    private MemoryRegion region;

    @BeforeEach
    void register() {
        NetworkOptions network = NetworkOptions.defaults();
        fabric = Fabrics.select("shm", network).open(network);
        region = fabric.register(1 << 16, Set.of(AccessRight.REMOTE_READ));
    }

    @AfterEach
    void close() {
        region.close();
        fabric.close();
        arena.close();
    }

    private void write(long sequence, ElementType type, Shape shape) {
        DynamicRecord.write(words, sequence, region, 4096, type, shape, sequence % (Loans.MAX + 1));
    }

    private void assertIs(ElementType type, Shape shape) {
        assertEquals(type, record.type());
        assertEquals(shape, record.shape());
        assertEquals(region.address() + 4096, record.address());
        assertEquals(region.rkey(), record.rkey());
        assertEquals(words.getAtIndex(ValueLayout.JAVA_LONG, SEQUENCE) % (Loans.MAX + 1), record.loan());
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void saysWhatTheTensorIs(ElementType type) {
        long[] sixteen = new long[Shape.RANK_MAX];
        Arrays.fill(sixteen, 1);
        sixteen[3] = 7;
        for (Shape shape : new Shape[]{Shape.of(), Shape.of(0), Shape.of(3, 0, 5), Shape.of(11), Shape.of(sixteen)}) {
            write(5, type, shape);
            record.read(words, 5);
            assertIs(type, shape);
        }
    }

    @Test
    void aShapeThatStaysTheSameIsNotMadeAgain() {
        write(0, ElementType.FLOAT32, Shape.of(3, 4));
        record.read(words, 0);
        Shape first = record.shape();
        write(1, ElementType.INT8, Shape.of(3, 4));
        record.read(words, 1);
        assertSame(first, record.shape());
        write(2, ElementType.INT8, Shape.of(4, 3));
        record.read(words, 2);
        assertEquals(Shape.of(4, 3), record.shape());
        write(3, ElementType.INT8, Shape.of(4));
        record.read(words, 3);
        assertEquals(Shape.of(4), record.shape());
    }

    /** As of another tensor, torn, or nothing at all. Of dimensions that there are not, none does. */
    @Test
    void everyBitCounts() {
        Shape shape = Shape.of(2, 3, 4);
        write(9, ElementType.FLOAT16, shape);
        int unused = 1 + Shape.RANK_MAX - shape.rank();
        for (int word = 0; word < WORDS; word++) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                flip(word, 1L << bit);
                if (word < unused) {
                    record.read(words, 9);
                    assertIs(ElementType.FLOAT16, shape);
                } else {
                    assertThrows(TransferException.class, () -> record.read(words, 9));
                }
                flip(word, 1L << bit);
            }
        }
        record.read(words, 9);
        assertThrows(TransferException.class, () -> record.read(words, 10));
        words.fill((byte) 0);
        assertThrows(TransferException.class, () -> record.read(words, 0));
    }

    private void flip(int word, long bits) {
        words.setAtIndex(ValueLayout.JAVA_LONG, word, words.getAtIndex(ValueLayout.JAVA_LONG, word) ^ bits);
    }

    /** What a rank of 1 needs, and the word of its arrival. */
    @Test
    void whatIsReadOfASmallRankLiesInOneCacheLine() {
        assertEquals(2 * 64, DynamicRecord.BYTE_SIZE + Long.BYTES - 64);
        write(9, ElementType.FLOAT16, Shape.of(7));
        words.asSlice(0, 2 * 64).fill((byte) 0x55);
        record.read(words, 9);
        assertIs(ElementType.FLOAT16, Shape.of(7));
    }

    /** Words at random under a checksum that fits, as a peer could make them who means it. */
    @Test
    void whatHasItsChecksumIsCheckedToo() {
        Random random = new Random(42);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            write(9, ElementType.FLOAT16, Shape.of(2, 3, 4));
            int word = random.nextInt(1 + Shape.RANK_MAX - 3, CHECKSUM);
            words.setAtIndex(ValueLayout.JAVA_LONG, word,
                    random.nextBoolean() ? random.nextLong() : random.nextInt(-3, 40));
            words.setAtIndex(ValueLayout.JAVA_LONG, CHECKSUM, DynamicRecord.checksum(words));
            try {
                record.read(words, 9);
                assertEquals(record.shape().byteSize(record.type()), record.byteSize());
                assertTrue(record.shape().rank() <= Shape.RANK_MAX);
            } catch (TransferException e) {
                refused++;
                assertTrue(e.getMessage().startsWith("malformed record of a tensor: sequence=9: "), e.getMessage());
            }
        }
        assertTrue(refused > 10_000, "refused=" + refused);
    }
}
