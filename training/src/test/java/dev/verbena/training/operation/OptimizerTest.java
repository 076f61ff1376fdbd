package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Scale;

/** Optimizers against their definitions in double precision, over several steps. */
class OptimizerTest {
    private static final int STEPS = 12;
    private static final TensorType MATRIX = TensorType.of(ElementType.FLOAT32, 3, 4);
    private static final TensorType OTHER = TensorType.of(ElementType.FLOAT32, 3, 5);
    private static final TensorType STEP = TensorType.of(ElementType.INT64);

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);

    @AfterEach
    void close() {
        scope.close();
    }

    @Property(tries = 50)
    void momentum(@ForAll @IntRange(max = 40) int count, @ForAll @DoubleRange(max = .95) double momentum,
            @ForAll long seed) {
        try (Arena own = Arena.ofConfined()) {
            KernelRuns runs = new KernelRuns(new HeapOfTensors(own), seed);
            float rate = .05f;
            float decay = (float) momentum;
            Tensor variable = runs.random(count);
            Tensor velocity = runs.random(count);
            velocity.memory().fill((byte) 0);
            double[] x = KernelRuns.doubles(variable);
            double[] v = new double[count];
            for (int step = 0; step < STEPS; step++) {
                Tensor gradient = runs.random(count);
                double[] g = KernelRuns.doubles(gradient);
                assertEquals(List.of(),
                        runs.run(new ApplyMomentum(rate, decay), false, variable, velocity, gradient));
                for (int i = 0; i < count; i++) {
                    v[i] = decay * v[i] + g[i];
                    x[i] -= rate * v[i];
                }
                assertArrayEquals(g, KernelRuns.doubles(gradient));
            }
            KernelRuns.assertClose("velocity", v, velocity, 2e-5);
            KernelRuns.assertClose("variable", x, variable, 2e-5);
        }
    }

    @Property(tries = 50)
    void adam(@ForAll @IntRange(max = 40) int count, @ForAll @DoubleRange(max = .95) double beta1,
            @ForAll @DoubleRange(min = .5, max = .999) @Scale(3) double beta2, @ForAll long seed) {
        try (Arena own = Arena.ofConfined()) {
            HeapOfTensors tensors = new HeapOfTensors(own);
            KernelRuns runs = new KernelRuns(tensors, seed);
            ApplyAdam adam = new ApplyAdam(.01f, beta1, beta2, 1e-8);
            Tensor variable = runs.random(count);
            Tensor first = runs.random(count);
            Tensor second = runs.random(count);
            Tensor steps = tensors.allocate(ElementType.INT64, Shape.of());
            List.of(first, second, steps).forEach(state -> state.memory().fill((byte) 0));
            double[] x = KernelRuns.doubles(variable);
            double[] m = new double[count];
            double[] v = new double[count];
            for (int t = 1; t <= STEPS; t++) {
                Tensor gradient = runs.random(count);
                double[] g = KernelRuns.doubles(gradient);
                assertEquals(List.of(), runs.run(adam, false, variable, first, second, steps, gradient));
                for (int i = 0; i < count; i++) {
                    m[i] = beta1 * m[i] + (1 - beta1) * g[i];
                    v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
                    x[i] -= .01f * (m[i] / (1 - Math.pow(beta1, t)))
                            / (Math.sqrt(v[i] / (1 - Math.pow(beta2, t))) + 1e-8);
                }
                assertArrayEquals(g, KernelRuns.doubles(gradient));
                assertEquals(t, steps.memory().get(ValueLayout.JAVA_LONG, 0));
            }
            KernelRuns.assertClose("first moment", m, first, 1e-5);
            KernelRuns.assertClose("second moment", v, second, 1e-5);
            KernelRuns.assertClose("variable", x, variable, 1e-5);
        }
    }

    /** Of more elements than are taken at a time: to the last bit what one gradient, the mean of all, does, added in the order of the workers. */
    @Property(tries = 30)
    void severalGradientsAreTheirMean(@ForAll @IntRange(max = 70_000) int count,
            @ForAll @IntRange(min = 2, max = 4) int workers, @ForAll long seed) {
        for (Operation optimizer : List.of(new ApplySgd(.3f), new ApplyMomentum(.3f, .9f), new ApplyAdam(.3f))) {
            try (Arena own = Arena.ofConfined()) {
                HeapOfTensors tensors = new HeapOfTensors(own);
                KernelRuns runs = new KernelRuns(tensors, seed);
                List<Tensor> gradients = new ArrayList<>();
                for (int worker = 0; worker < workers; worker++) {
                    gradients.add(runs.random(count));
                }
                List<Tensor> before = new ArrayList<>();
                List<Tensor> expected = new ArrayList<>();
                for (int i = 0; i < optimizer.mutatedInputs().size(); i++) {
                    boolean isStep = i == 3;
                    Tensor state = isStep ? tensors.allocate(ElementType.INT64, Shape.of()) : runs.random(count);
                    Tensor copy = tensors.allocate(state.type(), state.shape());
                    if (i > 0) {
                        state.memory().fill((byte) 0);
                    }
                    copy.memory().copyFrom(state.memory());
                    before.add(state);
                    expected.add(copy);
                }
                runs.run(optimizer, false, inputs(before, gradients));
                runs.run(optimizer, false,
                        inputs(expected, List.of(tensors.floats(Shape.of(count), mean(gradients, count)))));
                for (int i = 0; i < before.size(); i++) {
                    assertEquals(-1, before.get(i).memory().mismatch(expected.get(i).memory()), optimizer + " " + i);
                }
            }
        }
    }

    private static float[] mean(List<Tensor> gradients, int count) {
        float[] sum = new float[count];
        for (int k = 0; k < gradients.size(); k++) {
            float[] terms = HeapOfTensors.floats(gradients.get(k));
            for (int i = 0; i < count; i++) {
                sum[i] = k == 0 ? terms[i] : sum[i] + terms[i];
            }
        }
        for (int i = 0; i < count; i++) {
            sum[i] *= 1f / gradients.size();
        }
        return sum;
    }

    private static Tensor[] inputs(List<Tensor> states, List<Tensor> gradients) {
        return Stream.concat(states.stream(), gradients.stream()).toArray(Tensor[]::new);
    }

    /** Without momentum it is plain descent; Adam's first step is as long as the learning rate, whatever the gradient. */
    @Test
    void specialCasesAreWhatTheyMustBe() {
        Tensor gradient = kernels.random(9);
        Tensor plain = kernels.random(9);
        Tensor withVelocity = kernels.random(9);
        withVelocity.memory().copyFrom(plain.memory());
        kernels.run(new ApplySgd(.5f), false, plain, gradient);
        kernels.run(new ApplyMomentum(.5f, 0), false, withVelocity, kernels.random(9), gradient);
        KernelRuns.assertClose("variable", KernelRuns.doubles(plain), withVelocity, 1e-7);

        Tensor variable = heap.floats(Shape.of(3), 0, 0, 0);
        Tensor steps = heap.allocate(ElementType.INT64, Shape.of());
        steps.memory().fill((byte) 0);
        kernels.run(new ApplyAdam(.25f), false, variable, heap.floats(Shape.of(3), 0, 0, 0),
                heap.floats(Shape.of(3), 0, 0, 0), steps, heap.floats(Shape.of(3), 100, -.001f, 0));
        KernelRuns.assertClose("variable", new double[]{-.25, .25, 0}, variable, 1e-5);
    }

    @Test
    void saysWhatItChanges() {
        assertEquals(Set.of(0, 1), new ApplyMomentum(1, 0).mutatedInputs());
        assertEquals(Set.of(0, 1, 2, 3), new ApplyAdam(1).mutatedInputs());
    }

    @Test
    void refusesWhatDoesNotFit() {
        KernelRuns.assertInfers(new ApplyMomentum(1, 0), List.of(), MATRIX, MATRIX, MATRIX);
        KernelRuns.assertInfers(new ApplyAdam(1), List.of(), MATRIX, MATRIX, MATRIX, STEP, MATRIX);
        KernelRuns.assertRefuses(new ApplyMomentum(1, 0), "dimension 1 of variable=4 does not fit that of velocity=5",
                MATRIX, OTHER, MATRIX);
        KernelRuns.assertRefuses(new ApplyMomentum(1, 0), "dimension 1 of variable=4 does not fit that of gradient=5",
                MATRIX, MATRIX, OTHER);
        KernelRuns.assertRefuses(new ApplyAdam(1), "dimension 1 of variable=4 does not fit that of second moment=5",
                MATRIX, MATRIX, OTHER, STEP, MATRIX);
        KernelRuns.assertRefuses(new ApplyAdam(1), "input 3 (step) is FLOAT32[]; expected INT64 of rank 0", MATRIX,
                MATRIX, MATRIX, TensorType.of(ElementType.FLOAT32), MATRIX);
        Tensor steps = heap.allocate(ElementType.INT64, Shape.of());
        kernels.assertRefused("elements of variable=6 does not fit elements of velocity=4", new ApplyMomentum(1, 0),
                kernels.random(2, 3), kernels.random(2, 2), kernels.random(2, 3));
        kernels.assertRefused("elements of variable=6 does not fit elements of gradient=4", new ApplyAdam(1),
                kernels.random(2, 3), kernels.random(2, 3), kernels.random(2, 3), steps, kernels.random(2, 2));
    }

    @Test
    void refusesRatesThatMeanNothing() {
        for (float rate : new float[]{-.1f, 1, Float.NaN}) {
            assertEquals("momentum=" + rate + " is not in [0, 1)",
                    assertThrows(IllegalArgumentException.class, () -> new ApplyMomentum(1, rate)).getMessage());
            assertEquals("beta2=" + (double) rate + " is not in [0, 1)", assertThrows(IllegalArgumentException.class,
                    () -> new ApplyAdam(1, .9, rate, 1e-8)).getMessage());
        }
        assertEquals("epsilon=0.0 is not above 0",
                assertThrows(IllegalArgumentException.class, () -> new ApplyAdam(1, .9, .999, 0)).getMessage());
    }
}
