package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class EmbeddingTest {
    private static final Dimension TIME = Dimension.symbol("time");
    private static final Dimension BATCH = Dimension.symbol("batch");
    private static final Dimension WIDTH = Dimension.of(3);

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);

    @AfterEach
    void close() {
        scope.close();
    }

    @Property(tries = 100)
    void rowsAndTheirGradientsAreThoseOfTheDefinition(@ForAll @IntRange(max = 6) int time,
            @ForAll @IntRange(max = 5) int batch, @ForAll @IntRange(min = 1, max = 7) int vocabulary,
            @ForAll @IntRange(max = 4) int width, @ForAll long seed) {
        try (Arena own = Arena.ofConfined()) {
            KernelRuns runs = new KernelRuns(new HeapOfTensors(own), seed);
            int[] ids = new Random(seed).ints((long) time * batch, 0, vocabulary).toArray();
            Tensor table = runs.random(vocabulary, width);
            Tensor idTensor = runs.ints(Shape.of(time, batch), ids);
            Tensor rows = runs.run(new Embedding(), false, table, idTensor).getFirst();
            assertEquals(Shape.of(time, batch, width), rows.shape());
            for (int i = 0; i < ids.length * width; i++) {
                assertEquals(HeapOfTensors.floats(table)[ids[i / width] * width + i % width],
                        HeapOfTensors.floats(rows)[i]);
            }
            Tensor behind = runs.random(time, batch, width);
            double[] sums = new double[vocabulary * width];
            for (int i = 0; i < ids.length * width; i++) {
                sums[ids[i / width] * width + i % width] += HeapOfTensors.floats(behind)[i];
            }
            Tensor dense = runs.run(new EmbeddingGradient(vocabulary), false, idTensor, behind).getFirst();
            KernelRuns.assertClose("gradient", sums, dense, 1e-5);
            checkSparse(runs, ids, idTensor, behind, dense, width);
        }
    }

    /** Its rows are those of the dense one to the last bit, and all others are zero there. */
    private static void checkSparse(KernelRuns runs, int[] ids, Tensor idTensor, Tensor behind, Tensor dense,
            int width) {
        List<Tensor> sparse = runs.run(new SparseEmbeddingGradient("k"), false, idTensor, behind);
        int[] names = KernelRuns.ints(sparse.get(SparseEmbeddingGradient.IDS));
        assertArrayEquals(Arrays.stream(ids).distinct().sorted().toArray(), names);
        float[] scattered = new float[HeapOfTensors.floats(dense).length];
        for (int i = 0; i < names.length; i++) {
            System.arraycopy(HeapOfTensors.floats(sparse.get(SparseEmbeddingGradient.ROWS)), i * width, scattered,
                    names[i] * width, width);
        }
        assertArrayEquals(HeapOfTensors.floats(dense), scattered);
        Tensor one = runs.random(dense.shape().dimensions());
        Tensor other = runs.random(dense.shape().dimensions());
        other.memory().copyFrom(one.memory());
        runs.run(new ApplySgd(.5f), false, one, dense);
        runs.run(new ApplySgdSparse(.5f), false, other, sparse.get(0), sparse.get(1));
        assertArrayEquals(HeapOfTensors.floats(one), HeapOfTensors.floats(other));
    }

    @Test
    void shapesFollowFromInputs() {
        TensorType table = TensorType.of(ElementType.FLOAT32, 9, 3);
        KernelRuns.assertInfers(new Embedding(), List.of(KernelRuns.floats(TIME, BATCH, WIDTH)), table,
                KernelRuns.ints(TIME, BATCH));
        KernelRuns.assertInfers(new EmbeddingGradient(9), List.of(table), KernelRuns.ints(TIME, BATCH),
                KernelRuns.floats(TIME, BATCH, WIDTH));
        Dimension k = Dimension.unknown("rows of table", "it is how many different ids the run has");
        List<TensorType> sparse = List.of(KernelRuns.ints(k), KernelRuns.floats(k, WIDTH));
        KernelRuns.assertInfers(new SparseEmbeddingGradient("rows of table"), sparse, KernelRuns.ints(TIME, BATCH),
                KernelRuns.floats(TIME, BATCH, WIDTH));
        assertTrue(sparse.getFirst().shape().dimension(0).isUnknown());
        KernelRuns.assertInfers(new ApplySgdSparse(1), List.of(), table, sparse.get(0), sparse.get(1));
    }

    @Test
    void saysWhatDoesNotFit() {
        TensorType table = TensorType.of(ElementType.FLOAT32, 9, 3);
        KernelRuns.assertRefuses(new Embedding(), "input 1 (ids) is INT32[4]; expected INT32 of rank 2", table,
                TensorType.of(ElementType.INT32, 4));
        KernelRuns.assertRefuses(new EmbeddingGradient(9), "dimension 1 of ids=2 does not fit that of gradient=5",
                TensorType.of(ElementType.INT32, 4, 2), TensorType.of(ElementType.FLOAT32, 4, 5, 3));
        KernelRuns.assertRefuses(new SparseEmbeddingGradient("k"),
                "dimension 0 of ids=4 does not fit that of gradient=6", TensorType.of(ElementType.INT32, 4, 2),
                TensorType.of(ElementType.FLOAT32, 6, 2, 3));
        KernelRuns.assertRefuses(new ApplySgdSparse(1), "width of variable[9, 3]=3 does not fit width of rows[2, 4]=4",
                table, TensorType.of(ElementType.INT32, 2), TensorType.of(ElementType.FLOAT32, 2, 4));
        KernelRuns.assertRefuses(new ApplySgdSparse(1), "length of ids=1 does not fit number of rows[2, 3]=2", table,
                TensorType.of(ElementType.INT32, 1), TensorType.of(ElementType.FLOAT32, 2, 3));
        assertEquals("vocabulary=0; a table has at least one row",
                assertThrows(IllegalArgumentException.class, () -> new EmbeddingGradient(0)).getMessage());
    }

    @Test
    void idsThatNameNoRowAreRefusedBeforeAnythingChanges() {
        Tensor table = kernels.random(2, 3);
        float[] before = HeapOfTensors.floats(table);
        for (int id : new int[]{-1, 2}) {
            String message = "id=" + id + " in place=1; there are 2 rows in the table, from 0";
            Tensor ids = kernels.ints(Shape.of(2, 1), 0, id);
            kernels.assertRefused(message, new Embedding(), table, ids);
            kernels.assertRefused(message, new EmbeddingGradient(2), ids, kernels.random(2, 1, 3));
            kernels.assertRefused(message, new ApplySgdSparse(1), table, heap.ints(0, id), kernels.random(2, 3));
        }
        assertArrayEquals(before, HeapOfTensors.floats(table));
        kernels.assertRefused("id=-1 in place=0; there are 2147483647 rows in a table at most, from 0",
                new SparseEmbeddingGradient("k"), kernels.ints(Shape.of(1, 1), -1), kernels.random(1, 1, 3));
        kernels.assertRefused("number of ids=2 does not fit rows of gradient=3", new EmbeddingGradient(2),
                kernels.ints(Shape.of(2, 1), 0, 0), kernels.random(3, 1, 3));
        kernels.assertRefused("width of variable=3 does not fit width of rows=4", new ApplySgdSparse(1), table,
                heap.ints(0), kernels.random(1, 4));
    }
}
