package dev.verbena.training.operation.image;

import static dev.verbena.training.operation.image.ImageReference.doubles;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import dev.verbena.graph.Operation;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.Interpreter;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Kernels of images against their definitions, whatever the sizes, strides and padding. */
public class ImageKernelProperties {
    /** Images, and a window that has room in them. */
    record Case(Window window, Shape images, int outputs, long seed) {}

    @Provide
    Arbitrary<Case> cases() {
        Arbitrary<Integer> sizes = Arbitraries.integers().between(1, 5);
        return Combinators.combine(sizes, sizes, sizes, sizes, Arbitraries.longs()).as((height, width, outputs,
                channels, seed) -> {
            Random random = new Random(seed);
            Window window = Window.of(height, width).strided(random.nextInt(1, 4), random.nextInt(1, 4)).padded(
                    random.nextInt(height), random.nextInt(width), random.nextInt(height), random.nextInt(width));
            return new Case(window,
                    Shape.of(random.nextInt(4), channels,
                            random.nextInt(Math.max(1, height - window.top() - window.bottom()), height + 9),
                            random.nextInt(Math.max(1, width - window.left() - window.right()), width + 9)),
                    outputs, seed);
        });
    }

    @Property(tries = 300)
    void convolutionsAndTheirGradients(@ForAll("cases") Case given) {
        Window window = given.window;
        Shape weightShape = Shape.of(given.outputs, given.images.dimension(1), window.height(), window.width());
        Shape positions = ImageReference.positions(window, given.images, given.outputs);
        Random random = new Random(given.seed);
        float[] x = ImageReference.values(random, given.images);
        float[] weight = ImageReference.values(random, weightShape);
        float[] behind = ImageReference.values(random, positions);
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Tensor images = heap.floats(given.images, x);
            Tensor filters = heap.floats(weightShape, weight);
            Tensor gradient = heap.floats(positions, behind);
            check(ImageReference.convolution(window, given.images, doubles(x), weightShape, doubles(weight)), positions,
                    run(heap, new Convolution(window), images, filters));
            check(ImageReference.inputGradient(window, given.images, weightShape, doubles(weight), doubles(behind)),
                    given.images, run(heap, new ConvolutionInputGradient(window, given.images.dimension(2),
                            given.images.dimension(3)), gradient, filters));
            check(ImageReference.weightGradient(window, given.images, doubles(x), weightShape, doubles(behind)),
                    weightShape, run(heap, new ConvolutionWeightGradient(window), images, gradient));
        }
    }

    @Property(tries = 300)
    void poolsAndTheirGradients(@ForAll("cases") Case given, @ForAll boolean countsPadding) {
        Window window = given.window;
        Shape positions = ImageReference.positions(window, given.images, given.images.dimension(1));
        Random random = new Random(given.seed);
        float[] x = ImageReference.distinct(random, given.images);
        float[] behind = ImageReference.values(random, positions);
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Tensor images = heap.floats(given.images, x);
            Tensor gradient = heap.floats(positions, behind);
            check(ImageReference.averagePool(window, countsPadding, given.images, doubles(x)), positions,
                    run(heap, new AveragePool(window, countsPadding), images));
            check(ImageReference.differences(
                    inputs -> ImageReference.averagePool(window, countsPadding, given.images, inputs[0]),
                    doubles(behind), 0, 1, doubles(x)), given.images,
                    run(heap, new AveragePoolGradient(window, countsPadding, given.images.dimension(2),
                            given.images.dimension(3)), gradient));
            Tensor y = run(heap, new MaxPool(window), images);
            check(ImageReference.maxPool(window, given.images, doubles(x)), positions, y);
            check(ImageReference.differences(inputs -> ImageReference.maxPool(window, given.images, inputs[0]),
                    doubles(behind), 0, 1e-3, doubles(x)), given.images,
                    run(heap, new MaxPoolGradient(window), gradient, images, y));
        }
    }

    private static void check(double[] expected, Shape shape, Tensor actual) {
        assertEquals(shape, actual.shape());
        assertArrayEquals(expected, doubles(HeapOfTensors.floats(actual)), 1e-4);
    }

    private static Tensor run(HeapOfTensors heap, Operation operation, Tensor... inputs) {
        return Interpreter.compute("node", operation, List.of(inputs),
                operation.infer(Arrays.stream(inputs).map(Interpreter::typeOf).toList()), false, heap).getFirst();
    }
}
