package dev.verbena.training.operation.image;

import static dev.verbena.training.operation.image.ImageReference.doubles;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import dev.verbena.training.operation.Relu;
import dev.verbena.training.operation.ReluGradient;

/** Each kernel of images against its definition in double precision; gradients against differences of that definition. */
public class ImageKernelTest {
    private static final Shape IMAGES = Shape.of(2, 3, 5, 6);
    /** Bilinear definitions have the same difference at any step. */
    private static final double STEP = 1e-3;

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);
    private final Random random = new Random(1);

    @AfterEach
    void close() {
        scope.close();
    }

    static List<Window> windows() {
        return List.of(Window.of(1, 1), Window.of(3, 3).padded(1, 1, 1, 1), Window.of(2, 3),
                Window.of(3, 2).strided(2, 3).padded(2, 1, 0, 1), Window.of(5, 6), Window.of(1, 1).strided(2, 2),
                Window.of(1, 7).padded(0, 3, 0, 3), Window.of(2, 2).strided(3, 4));
    }

    @ParameterizedTest
    @MethodSource("windows")
    void convolution(Window window) {
        Shape weightShape = Shape.of(4, 3, window.height(), window.width());
        Shape positions = ImageReference.positions(window, IMAGES, 4);
        float[] x = values(IMAGES);
        float[] weight = values(weightShape);
        float[] behind = values(positions);
        Tensor y = kernels.run(new Convolution(window), false, tensor(IMAGES, x), tensor(weightShape, weight))
                .getFirst();
        assertEquals(positions, y.shape());
        ImageReference.Definition definition = inputs -> ImageReference.convolution(window, IMAGES, inputs[0],
                weightShape, inputs[1]);
        double[] inX = doubles(x);
        double[] inWeight = doubles(weight);
        assertClose(definition.apply(inX, inWeight), y, 1e-5);
        assertClose(ImageReference.differences(definition, doubles(behind), 0, STEP, inX, inWeight),
                kernels.run(new ConvolutionInputGradient(window, 5, 6), false, tensor(positions, behind),
                        tensor(weightShape, weight)).getFirst(),
                1e-5);
        assertClose(ImageReference.differences(definition, doubles(behind), 1, STEP, inX, inWeight),
                kernels.run(new ConvolutionWeightGradient(window), false, tensor(IMAGES, x), tensor(positions, behind))
                        .getFirst(),
                2e-5);
    }

    /** A step so long that a column of the window never meets the image. */
    @Test
    void convolutionWithAColumnAlwaysInThePadding() {
        Window window = Window.of(1, 3).strided(1, 3).padded(0, 2, 0, 0);
        Tensor x = tensor(Shape.of(1, 1, 1, 1), 5);
        Tensor weight = tensor(Shape.of(1, 1, 1, 3), 2, 3, 4);
        Tensor y = kernels.run(new Convolution(window), false, x, weight).getFirst();
        assertArrayEquals(new float[]{20}, HeapOfTensors.floats(y));
        assertArrayEquals(new float[]{80},
                HeapOfTensors
                        .floats(kernels.run(new ConvolutionInputGradient(window, 1, 1), false, y, weight).getFirst()));
        assertArrayEquals(new float[]{0, 0, 100},
                HeapOfTensors.floats(kernels.run(new ConvolutionWeightGradient(window), false, x, y).getFirst()));
    }

    /** As AlexNet has them: steps that leave pixels out at the end, pools that overlap; sides odd and even. */
    @ParameterizedTest
    @CsvSource({"11, 4, 0, 67, 67", "11, 4, 0, 30, 25", "11, 4, 2, 30, 25", "5, 1, 2, 7, 7", "5, 1, 2, 6, 3",
            "3, 1, 1, 3, 3", "3, 1, 1, 1, 1"})
    void convolutionsOfAlexNet(int side, int stride, int padding, int rows, int columns) {
        Window window = Window.of(side, side).strided(stride, stride).padded(padding, padding, padding, padding);
        Shape images = Shape.of(2, 3, rows, columns);
        Shape weightShape = Shape.of(4, 3, side, side);
        Shape positions = ImageReference.positions(window, images, 4);
        float[] x = values(images);
        float[] weight = values(weightShape);
        float[] behind = values(positions);
        assertClose(ImageReference.convolution(window, images, doubles(x), weightShape, doubles(weight)),
                kernels.run(new Convolution(window), false, tensor(images, x), tensor(weightShape, weight)).getFirst(),
                5e-5);
        assertClose(ImageReference.inputGradient(window, images, weightShape, doubles(weight), doubles(behind)),
                kernels.run(new ConvolutionInputGradient(window, rows, columns), false, tensor(positions, behind),
                        tensor(weightShape, weight)).getFirst(),
                5e-5);
        assertClose(ImageReference.weightGradient(window, images, doubles(x), weightShape, doubles(behind)),
                kernels.run(new ConvolutionWeightGradient(window), false, tensor(images, x), tensor(positions, behind))
                        .getFirst(),
                5e-5);
    }

    @ParameterizedTest
    @CsvSource({"15, 15", "14, 7", "3, 3", "4, 13"})
    void poolsOfAlexNet(int rows, int columns) {
        Window window = Window.of(3, 3).strided(2, 2);
        Shape images = Shape.of(2, 3, rows, columns);
        Shape positions = ImageReference.positions(window, images, 3);
        float[] x = ImageReference.distinct(random, images);
        float[] behind = values(positions);
        Tensor y = kernels.run(new MaxPool(window), false, tensor(images, x)).getFirst();
        ImageReference.Definition definition = inputs -> ImageReference.maxPool(window, images, inputs[0]);
        assertClose(definition.apply(doubles(x)), y, 0);
        assertClose(ImageReference.differences(definition, doubles(behind), 0, 1e-6, doubles(x)),
                kernels.run(new MaxPoolGradient(window), false, tensor(positions, behind), tensor(images, x), y)
                        .getFirst(),
                1e-5);
    }

    /** Images whose matrix is made in several blocks, the last one shorter. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void convolutionInBlocks(int stride) {
        Window window = Window.of(3, 3).padded(1, 1, 1, 1).strided(stride, 1);
        Shape images = Shape.of(2, 48, stride * 50 - 1, 60);
        Shape weightShape = Shape.of(2, 48, 3, 3);
        Shape positions = ImageReference.positions(window, images, 2);
        Columns columns = Columns.of(window, images, positions);
        assertTrue(columns.blockRows() > 1 && columns.rows() > columns.blockRows()
                && columns.rows() % columns.blockRows() != 0, columns + " blockRows=" + columns.blockRows());
        float[] x = values(images);
        float[] weight = values(weightShape);
        float[] behind = values(positions);
        assertClose(ImageReference.convolution(window, images, doubles(x), weightShape, doubles(weight)),
                kernels.run(new Convolution(window), false, tensor(images, x), tensor(weightShape, weight)).getFirst(),
                1e-4);
        assertClose(ImageReference.inputGradient(window, images, weightShape, doubles(weight), doubles(behind)),
                kernels.run(new ConvolutionInputGradient(window, images.dimension(2), 60), false,
                        tensor(positions, behind),
                        tensor(weightShape, weight)).getFirst(),
                1e-4);
        assertClose(ImageReference.weightGradient(window, images, doubles(x), weightShape, doubles(behind)),
                kernels.run(new ConvolutionWeightGradient(window), false, tensor(images, x), tensor(positions, behind))
                        .getFirst(),
                1e-3);
    }

    @Test
    void anEmptyBatchHasEmptyOutputsAndNoGradient() {
        Window window = Window.of(3, 3);
        Shape none = Shape.of(0, 3, 5, 6);
        Shape weightShape = Shape.of(4, 3, 3, 3);
        Tensor weight = tensor(weightShape, values(weightShape));
        assertEquals(Shape.of(0, 4, 3, 4),
                kernels.run(new Convolution(window), false, tensor(none), weight).getFirst().shape());
        Tensor behind = tensor(Shape.of(0, 4, 3, 4));
        assertEquals(none,
                kernels.run(new ConvolutionInputGradient(window, 5, 6), false, behind, weight).getFirst().shape());
        assertArrayEquals(new float[108], HeapOfTensors
                .floats(kernels.run(new ConvolutionWeightGradient(window), false, tensor(none), behind).getFirst()));
        assertArrayEquals(new float[4],
                HeapOfTensors.floats(kernels.run(new ChannelBiasGradient(), false, behind).getFirst()));
        assertEquals(Shape.of(0, 3, 3, 4), kernels.run(new MaxPool(window), false, tensor(none)).getFirst().shape());
        assertEquals(Shape.of(0, 6, 5, 6),
                kernels.run(new ChannelConcat(), false, tensor(none), tensor(none)).getFirst().shape());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void channelBias(boolean inPlace) {
        float[] x = values(IMAGES);
        float[] bias = values(Shape.of(3));
        float[] behind = values(IMAGES);
        assertClose(ImageReference.channelBias(IMAGES, doubles(x), doubles(bias)),
                kernels.run(new ChannelBias(), inPlace, tensor(IMAGES, x), tensor(Shape.of(3), bias)).getFirst(), 1e-6);
        assertClose(
                ImageReference.differences(inputs -> ImageReference.channelBias(IMAGES, inputs[0], inputs[1]),
                        doubles(behind), 1, STEP, doubles(x), doubles(bias)),
                kernels.run(new ChannelBiasGradient(), inPlace, tensor(IMAGES, behind)).getFirst(), 1e-5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void relu(boolean inPlace) {
        float[] x = values(IMAGES);
        x[0] = 0;
        x[1] = -0f;
        x[2] = Float.NaN;
        float[] y = HeapOfTensors.floats(kernels.run(new Relu(), inPlace, tensor(IMAGES, x)).getFirst());
        for (int i = 0; i < x.length; i++) {
            assertEquals(x[i] < 0 || x[i] == 0 ? 0f : x[i], y[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reluGradient(boolean inPlace) {
        float[] x = values(IMAGES);
        float[] behind = values(IMAGES);
        Tensor y = kernels.run(new Relu(), false, tensor(IMAGES, x)).getFirst();
        float[] before = HeapOfTensors
                .floats(kernels.run(new ReluGradient(), inPlace, tensor(IMAGES, behind), y).getFirst());
        for (int i = 0; i < x.length; i++) {
            double slope = (Math.max(x[i] + 1e-9, 0) - Math.max(x[i] - 1e-9, 0)) / 2e-9;
            assertEquals(slope * behind[i], before[i], 1e-6);
        }
        x[0] = 0;
        assertEquals(0, HeapOfTensors
                .floats(kernels.run(new ReluGradient(), inPlace, tensor(IMAGES, behind), tensor(IMAGES, x))
                        .getFirst())[0]);
    }

    @ParameterizedTest
    @MethodSource("windows")
    void maxPool(Window window) {
        float[] x = ImageReference.distinct(random, IMAGES);
        Shape positions = ImageReference.positions(window, IMAGES, 3);
        float[] behind = values(positions);
        Tensor y = kernels.run(new MaxPool(window), false, tensor(IMAGES, x)).getFirst();
        assertEquals(positions, y.shape());
        ImageReference.Definition definition = inputs -> ImageReference.maxPool(window, IMAGES, inputs[0]);
        assertClose(definition.apply(doubles(x)), y, 0);
        assertClose(ImageReference.differences(definition, doubles(behind), 0, STEP, doubles(x)),
                kernels.run(new MaxPoolGradient(window), false, tensor(positions, behind), tensor(IMAGES, x), y)
                        .getFirst(),
                1e-5);
    }

    @Test
    void theFirstOfSeveralLargestTakesTheGradient() {
        Window window = Window.of(2, 2).strided(2, 2);
        Shape shape = Shape.of(1, 1, 2, 8);
        float infinity = Float.NEGATIVE_INFINITY;
        Tensor x = tensor(shape, 1, 5, 0, 0, 1, Float.NaN, infinity, infinity, 5, 5, 0, 0, 2, Float.NaN, infinity,
                infinity);
        Tensor y = kernels.run(new MaxPool(window), false, x).getFirst();
        assertArrayEquals(new float[]{5, 0, Float.NaN, infinity}, HeapOfTensors.floats(y));
        assertArrayEquals(new float[]{0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0}, HeapOfTensors.floats(
                kernels.run(new MaxPoolGradient(window), false, tensor(Shape.of(1, 1, 1, 4), 1, 2, 3, 4), x, y)
                        .getFirst()));
    }

    @Test
    void anOutputOfAnotherPoolIsRefused() {
        Tensor x = tensor(Shape.of(1, 1, 1, 2), 1, 2);
        Tensor y = tensor(Shape.of(1, 1, 1, 1), 3);
        String message = assertThrows(IllegalArgumentException.class,
                () -> kernels.run(new MaxPoolGradient(Window.of(1, 2)), false, y, x, y)).getMessage();
        assertEquals("y=3.0 is not among what the window shows of x; it is no output of a pool over x", message);
    }

    @ParameterizedTest
    @MethodSource("windows")
    void averagePool(Window window) {
        for (boolean countsPadding : new boolean[]{false, true}) {
            float[] x = values(IMAGES);
            Shape positions = ImageReference.positions(window, IMAGES, 3);
            float[] behind = values(positions);
            ImageReference.Definition definition = inputs -> ImageReference.averagePool(window, countsPadding, IMAGES,
                    inputs[0]);
            Tensor y = kernels.run(new AveragePool(window, countsPadding), false, tensor(IMAGES, x)).getFirst();
            assertEquals(positions, y.shape());
            assertClose(definition.apply(doubles(x)), y, 1e-6);
            assertClose(ImageReference.differences(definition, doubles(behind), 0, STEP, doubles(x)),
                    kernels.run(new AveragePoolGradient(window, countsPadding, 5, 6), false, tensor(positions, behind))
                            .getFirst(),
                    1e-5);
        }
    }

    @Test
    void channelsOfAllInputsAndBack() {
        float[] first = values(IMAGES);
        Shape otherShape = Shape.of(2, 1, 5, 6);
        float[] other = values(otherShape);
        Tensor all = kernels.run(new ChannelConcat(), false, tensor(IMAGES, first), tensor(otherShape, other),
                tensor(IMAGES, first)).getFirst();
        assertEquals(Shape.of(2, 7, 5, 6), all.shape());
        float[] values = HeapOfTensors.floats(all);
        for (int image = 0; image < 2; image++) {
            for (int i = 0; i < 210; i++) {
                float expected = i < 90
                        ? first[image * 90 + i]
                        : i < 120 ? other[image * 30 + i - 90] : first[image * 90 + i - 120];
                assertEquals(expected, values[image * 210 + i]);
            }
        }
        assertArrayEquals(first, HeapOfTensors.floats(kernels.run(new ChannelSlice(0, 3), false, all).getFirst()));
        assertArrayEquals(other, HeapOfTensors.floats(kernels.run(new ChannelSlice(3, 1), false, all).getFirst()));
        assertArrayEquals(first, HeapOfTensors.floats(kernels.run(new ChannelSlice(4, 3), false, all).getFirst()));
        assertEquals(Shape.of(2, 0, 5, 6), kernels.run(new ChannelSlice(7, 0), false, all).getFirst().shape());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void batchNormalization(boolean inPlace) {
        double epsilon = 1e-3;
        float[] x = values(IMAGES);
        float[] scale = values(Shape.of(3));
        float[] shift = values(Shape.of(3));
        float[] behind = values(IMAGES);
        double[] inX = doubles(x);
        double[] inScale = doubles(scale);
        double[] inShift = doubles(shift);
        ImageReference.Definition definition = inputs -> ImageReference.batchNormalization(epsilon, IMAGES, inputs[0],
                inputs[1], inputs[2]);
        Tensor scales = tensor(Shape.of(3), scale);
        List<Tensor> outputs = kernels.run(new BatchNormalization(epsilon), inPlace, tensor(IMAGES, x), scales,
                tensor(Shape.of(3), shift));
        assertClose(definition.apply(inX, inScale, inShift), outputs.getFirst(), 1e-5);
        List<Tensor> gradients = kernels.run(new BatchNormalizationGradient(), inPlace, tensor(IMAGES, behind),
                tensor(IMAGES, x), scales, outputs.get(BatchNormalization.MEAN),
                outputs.get(BatchNormalization.INVERSE_DEVIATION));
        for (int i = 0; i < 3; i++) {
            assertClose(ImageReference.differences(definition, doubles(behind), i, 1e-5, inX, inScale, inShift),
                    gradients.get(i), 1e-5);
        }
    }

    /** Values far from 0 keep their variance, one alone has none. */
    @Test
    void batchNormalizationOfLargeAndOfEqualValues() {
        Tensor one = tensor(Shape.of(1), 1);
        Tensor zero = tensor(Shape.of(1), 0);
        assertArrayEquals(new float[]{-1, 1, -1, 1},
                HeapOfTensors.floats(kernels.run(new BatchNormalization(1e-9), false,
                        tensor(Shape.of(1, 1, 2, 2), 1e6f - 1, 1e6f + 1, 1e6f - 1, 1e6f + 1), one, zero).getFirst()),
                1e-6f);
        assertArrayEquals(new float[]{0}, HeapOfTensors.floats(
                kernels.run(new BatchNormalization(1e-3), false, tensor(Shape.of(1, 1, 1, 1), 7), one, zero)
                        .getFirst()));
    }

    /** Where dimensions were unknown before the run, the kernels themselves find what does not fit. */
    @Test
    void kernelsRefuseShapesThatDoNotFit() {
        Window window = Window.of(2, 2);
        Tensor x = tensor(IMAGES, values(IMAGES));
        Tensor small = tensor(Shape.of(1, 1, 1, 1), 1);
        Tensor three = tensor(Shape.of(3), 1, 2, 3);
        Tensor four = tensor(Shape.of(4), 1, 2, 3, 4);
        kernels.assertRefused("channels of x=3 does not fit inputs of weight=1", new Convolution(window), x, small);
        kernels.assertRefused("height of weight=1 does not fit height of window=2", new Convolution(window), small,
                small);
        kernels.assertRefused("image height=1 with padding 0+0 has no room for a window of height=2",
                new MaxPool(window),
                small);
        kernels.assertRefused("channels of gradient=3 does not fit outputs of weight=1",
                new ConvolutionInputGradient(window, 5, 6), x, small);
        kernels.assertRefused("dimension 2 of gradient=1 does not fit that of the convolution's output=4",
                new ConvolutionInputGradient(window, 5, 6), small, tensor(Shape.of(1, 1, 2, 2), 1, 2, 3, 4));
        kernels.assertRefused("dimension 0 of gradient=1 does not fit that of the convolution's output=2",
                new ConvolutionWeightGradient(window), x, small);
        kernels.assertRefused("channels of x=3 does not fit length of bias=4", new ChannelBias(), x, four);
        kernels.assertRefused("dimension 0 of gradient=2 does not fit that of y=1", new ReluGradient(), x, small);
        kernels.assertRefused("dimension 0 of gradient=2 does not fit that of y=1", new MaxPoolGradient(window), x, x,
                small);
        kernels.assertRefused("dimension 0 of y=1 does not fit that of the pool's output=2",
                new MaxPoolGradient(window),
                small, x, small);
        kernels.assertRefused("dimension 2 of gradient=1 does not fit that of the pool's output=4",
                new AveragePoolGradient(window, false, 5, 6), small);
        kernels.assertRefused("dimension 0 of x 0=2 does not fit that of x 1=1", new ChannelConcat(), x, small);
        kernels.assertRefused("channels from first=1 count=1 of x[1, 1, 1, 1], which has 1", new ChannelSlice(1, 1),
                small);
        kernels.assertRefused("channels of x=3 does not fit length of shift=4", new BatchNormalization(1), x, three,
                four);
        kernels.assertRefused("channels of x=3 does not fit length of mean=4", new BatchNormalizationGradient(), x, x,
                three,
                four, three);
    }

    private static void assertClose(double[] expected, Tensor actual, double delta) {
        assertArrayEquals(expected, doubles(HeapOfTensors.floats(actual)), delta);
    }

    private Tensor tensor(Shape shape, float... values) {
        return heap.floats(shape, values);
    }

    private float[] values(Shape shape) {
        return ImageReference.values(random, shape);
    }
}
