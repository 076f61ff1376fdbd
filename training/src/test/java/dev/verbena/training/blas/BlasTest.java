package dev.verbena.training.blas;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.Random;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.TrainingException;
import dev.verbena.training.operation.Reference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

public class BlasTest {
    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final Random random = new Random(1);

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void multipliesAsTheDefinitionSays() {
        int[][] sizes = {{1, 1, 1}, {2, 3, 4}, {7, 5, 3}, {17, 31, 13}, {32, 10, 256}, {33, 129, 65}, {64, 64, 64},
                {1, 200, 3}};
        for (int[] size : sizes) {
            for (int transposes = 0; transposes < 4; transposes++) {
                check((transposes & 1) != 0, (transposes & 2) != 0, size[0], size[1], size[2]);
            }
        }
    }

    private void check(boolean transposeA, boolean transposeB, int m, int n, int k) {
        float[] a = values(m * k);
        float[] b = values(k * n);
        Tensor product = heap.allocate(ElementType.FLOAT32, Shape.of(m, n));
        Blas.get().multiply(transposeA, transposeB, m, n, k, heap.floats(Shape.of(m * k), a).memory(),
                heap.floats(Shape.of(k * n), b).memory(), product.memory());
        float[] result = HeapOfTensors.floats(product);
        double[] expected = Reference.multiply(transposeA, transposeB, m, n, k, a, b);
        for (int i = 0; i < result.length; i++) {
            assertEquals(expected[i], result[i], 1e-6 * k, transposeA + " " + transposeB + " " + m + "x" + n + "x" + k);
        }
    }

    /** Parts of larger matrices, on top of what is there; what lies around the product stays. */
    @Test
    void addsAProductOfPartsToAPart() {
        int m = 5;
        int n = 7;
        int k = 3;
        for (int transposes = 0; transposes < 4; transposes++) {
            boolean transposeA = (transposes & 1) != 0;
            boolean transposeB = (transposes & 2) != 0;
            float[] a = values(m * k);
            float[] b = values(k * n);
            for (boolean adds : new boolean[]{false, true}) {
                float[] before = values(100);
                Tensor c = heap.floats(Shape.of(100), before);
                Blas.get().multiply(transposeA, transposeB, m, n, k,
                        part(a, transposeA ? k : m, transposeA ? m : k, 2, 9),
                        part(b, transposeB ? n : k, transposeB ? k : n, 5, 8), new Blas.Matrix(c.memory(), 3, 11),
                        adds);
                double[] product = Reference.multiply(transposeA, transposeB, m, n, k, a, b);
                float[] after = HeapOfTensors.floats(c);
                for (int i = 0; i < 100; i++) {
                    int row = (i - 3) / 11;
                    int column = (i - 3) % 11;
                    if (i >= 3 && row < m && column < n) {
                        assertEquals((adds ? before[i] : 0) + product[row * n + column], after[i], 1e-5);
                    } else {
                        assertEquals(before[i], after[i]);
                    }
                }
            }
        }
    }

    /** In the middle of NaN. */
    private Blas.Matrix part(float[] values, int rows, int columns, int offset, int stride) {
        Tensor tensor = heap.allocate(ElementType.FLOAT32, Shape.of(offset + (rows - 1) * stride + columns));
        for (int row = 0; row < rows; row++) {
            MemorySegment.copy(values, row * columns, tensor.memory(), JAVA_FLOAT,
                    (offset + row * stride) * (long) Float.BYTES, columns);
        }
        return new Blas.Matrix(tensor.memory(), offset, stride);
    }

    @Test
    void refusesPartsThatAreNone() {
        MemorySegment ten = heap.allocate(ElementType.FLOAT32, Shape.of(10)).memory();
        MemorySegment some = heap.floats(Shape.of(4), 1, 2, 3, 4).memory();
        assertMessage("operand a has offset=0 stride=1 and 2 columns; an offset is 0 or more, a stride from 2 to",
                () -> multiply(new Blas.Matrix(ten, 0, 1), some));
        assertMessage("operand a has offset=-1 stride=2 and 2 columns",
                () -> multiply(new Blas.Matrix(ten, -1, 2), some));
        assertMessage("operand a has offset=0 stride=2147483648 and 2 columns",
                () -> multiply(new Blas.Matrix(ten, 0, 1L << 31), some));
        assertMessage("operand a has 40 bytes; 11 floats are needed",
                () -> multiply(new Blas.Matrix(ten, 2, 7), some));
        assertMessage("operand a has 40 bytes; 11 floats are needed",
                () -> multiply(new Blas.Matrix(ten, 7, 2), some));
        assertMessage("operand c overlaps operand a:", () -> multiply(new Blas.Matrix(ten, 6, 2), ten.asSlice(24)));
    }

    private static void multiply(Blas.Matrix a, MemorySegment c) {
        MemorySegment b = a.memory().asSlice(0, 16);
        Blas.get().multiply(false, false, 2, 2, 2, a, Blas.Matrix.of(b, 2), Blas.Matrix.of(c, 2), false);
    }

    @Test
    void addsAProductToWhatIsThere() {
        float[] a = values(6);
        float[] b = values(12);
        float[] before = values(8);
        Tensor sum = heap.floats(Shape.of(2, 4), before);
        Blas.get().addProduct(true, false, 2, 4, 3, heap.floats(Shape.of(6), a).memory(),
                heap.floats(Shape.of(12), b).memory(), sum.memory());
        double[] product = Reference.multiply(true, false, 2, 4, 3, a, b);
        for (int i = 0; i < product.length; i++) {
            assertEquals(before[i] + product[i], HeapOfTensors.floats(sum)[i], 1e-5);
        }
    }

    @Test
    void anEmptyInnerDimensionGivesZeros() {
        Tensor product = heap.allocate(ElementType.FLOAT32, Shape.of(2, 3));
        Blas.get().multiply(false, false, 2, 3, 0, MemorySegment.NULL, MemorySegment.NULL, product.memory());
        assertArrayEquals(new float[6], HeapOfTensors.floats(product));
    }

    @Test
    void anEmptyProductTouchesNothing() {
        Tensor a = heap.floats(Shape.of(1), 1);
        Blas.get().multiply(false, true, 0, 1, 1, MemorySegment.NULL, a.memory(), MemorySegment.NULL);
        assertArrayEquals(new float[]{1}, HeapOfTensors.floats(a));
    }

    @Test
    void refusesWhatTheLibraryCannotCount() {
        MemorySegment some = heap.floats(Shape.of(1), 1).memory();
        long large = 1L + Integer.MAX_VALUE;
        assertMessage("matrix product of 2147483648x1 by 1x1: OpenBLAS takes dimensions from 0 to 2147483647",
                () -> Blas.get().multiply(false, false, large, 1, 1, some, some, some));
        assertThrows(IllegalArgumentException.class,
                () -> Blas.get().multiply(false, false, 1, -1, 1, some, some, some));
    }

    @Test
    void refusesToReadOrWritePastTheEnd() {
        MemorySegment six = heap.floats(Shape.of(6), 1, 2, 3, 4, 5, 6).memory();
        MemorySegment five = six.asSlice(0, 20);
        assertMessage("operand a has 20 bytes; 6 floats",
                () -> Blas.get().multiply(false, false, 2, 1, 3, five, six, six));
        assertMessage("operand b has 20 bytes; 6 floats",
                () -> Blas.get().multiply(false, false, 1, 2, 3, six, five, six));
        assertMessage("operand c has 20 bytes; 6 floats",
                () -> Blas.get().multiply(false, false, 2, 3, 1, six, six, five));
        assertMessage("operand x has 20 bytes; 6 floats", () -> Blas.get().addScaled(6, 1, five, six));
        assertMessage("operand y has 20 bytes; 6 floats", () -> Blas.get().addScaled(6, 1, six, five));
    }

    @Test
    void refusesToWriteOverAFactor() {
        MemorySegment ten = heap.allocate(ElementType.FLOAT32, Shape.of(10)).memory();
        MemorySegment last = ten.asSlice(36);
        Blas.get().multiply(false, false, 1, 1, 9, ten, ten, last);
        assertMessage("operand c overlaps operand a:",
                () -> Blas.get().multiply(false, false, 1, 1, 10, ten, ten, last));
        assertMessage("operand c overlaps operand b:",
                () -> Blas.get().multiply(false, false, 1, 1, 1, ten, last, last));
    }

    /** However many processors there are. */
    @Test
    void oneThreadTakesTheSumsUnlessToldOtherwise() throws Throwable {
        Blas blas = Blas.get();
        assertEquals(1, threads());
        try {
            blas.useThreads(2);
            assertEquals(2, threads());
            check(false, true, 33, 129, 65);
            assertMessage("BLAS threads=0; give at least 1", () -> blas.useThreads(0));
            String message = assertThrows(TrainingException.class, () -> blas.useThreads(100_000)).getMessage();
            assertTrue(
                    message.matches("OpenBLAS takes \\d+ threads at most here, and was asked for blasThreads=100000; "
                            + "give \\d+ or fewer"),
                    message);
            assertEquals(2, threads());
        } finally {
            blas.useThreads(1);
        }
        assertEquals(1, threads());
    }

    /** {@code int openblas_get_num_threads(void)} */
    private static int threads() throws Throwable {
        MemorySegment function = OpenBlasLibrary.load().find("openblas_get_num_threads").orElseThrow();
        return (int) Linker.nativeLinker().downcallHandle(function, FunctionDescriptor.of(JAVA_INT)).invokeExact();
    }

    @Test
    void addsScaled() {
        float[] x = values(1001);
        float[] y = values(1001);
        Tensor sum = heap.floats(Shape.of(1001), y);
        Blas.get().addScaled(1001, -.25f, heap.floats(Shape.of(1001), x).memory(), sum.memory());
        float[] result = HeapOfTensors.floats(sum);
        for (int i = 0; i < x.length; i++) {
            assertEquals(y[i] - .25 * x[i], result[i], 1e-6);
        }
    }

    @Test
    void refusesFreedMemory() {
        MemorySegment freed;
        try (Arena shortLived = Arena.ofConfined()) {
            freed = shortLived.allocate(4, 4);
        }
        MemorySegment some = heap.floats(Shape.of(1), 1).memory();
        MemorySegment product = heap.floats(Shape.of(1), 1).memory();
        assertThrows(IllegalStateException.class,
                () -> Blas.get().multiply(false, false, 1, 1, 1, freed, some, product));
    }

    private static void assertMessage(String part, org.junit.jupiter.api.function.Executable action) {
        String message = assertThrows(IllegalArgumentException.class, action).getMessage();
        assertTrue(message.contains(part), message);
    }

    private float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-1, 1);
        }
        return values;
    }
}
