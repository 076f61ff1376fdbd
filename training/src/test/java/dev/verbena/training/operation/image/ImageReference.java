package dev.verbena.training.operation.image;

import java.util.Random;

import dev.verbena.memory.Shape;

/** The mathematics of images in double precision, pixel by pixel as in a textbook: what kernels are compared with. */
final class ImageReference {
    private ImageReference() {}

    /** A function of several tensors. */
    @FunctionalInterface
    interface Definition {
        double[] apply(double[]... inputs);
    }

    /** Where two numbers are multiplied, and where the product is added. */
    private interface Term {
        void add(int y, int x, int weight);
    }

    private static void terms(Window window, Shape x, Shape weight, Term term) {
        int channels = dimension(x, 1);
        Shape y = positions(window, x, weight.dimension(0));
        for (int image = 0; image < x.dimension(0); image++) {
            for (int output = 0; output < y.dimension(1); output++) {
                for (int row = 0; row < y.dimension(2); row++) {
                    for (int column = 0; column < y.dimension(3); column++) {
                        for (int channel = 0; channel < channels; channel++) {
                            for (int i = 0; i < window.height(); i++) {
                                for (int j = 0; j < window.width(); j++) {
                                    int imageRow = row * window.strideY() - window.top() + i;
                                    int imageColumn = column * window.strideX() - window.left() + j;
                                    if (isInside(x, imageRow, imageColumn)) {
                                        term.add(at(y, image, output, row, column),
                                                at(x, image, channel, imageRow, imageColumn),
                                                at(weight, output, channel, i, j));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    static double[] convolution(Window window, Shape xShape, double[] x, Shape weightShape, double[] weight) {
        double[] y = new double[count(positions(window, xShape, weightShape.dimension(0)))];
        terms(window, xShape, weightShape, (to, pixel, factor) -> y[to] += x[pixel] * weight[factor]);
        return y;
    }

    static double[] inputGradient(Window window, Shape xShape, Shape weightShape, double[] weight, double[] behind) {
        double[] gradient = new double[count(xShape)];
        terms(window, xShape, weightShape, (from, pixel, factor) -> gradient[pixel] += behind[from] * weight[factor]);
        return gradient;
    }

    static double[] weightGradient(Window window, Shape xShape, double[] x, Shape weightShape, double[] behind) {
        double[] gradient = new double[count(weightShape)];
        terms(window, xShape, weightShape, (from, pixel, factor) -> gradient[factor] += behind[from] * x[pixel]);
        return gradient;
    }

    static double[] maxPool(Window window, Shape shape, double[] x) {
        return pool(window, shape, x, true, false);
    }

    static double[] averagePool(Window window, boolean countsPadding, Shape shape, double[] x) {
        return pool(window, shape, x, false, countsPadding);
    }

    private static double[] pool(Window window, Shape shape, double[] x, boolean isMax, boolean countsPadding) {
        Shape positions = positions(window, shape, shape.dimension(1));
        double[] y = new double[count(positions)];
        int to = 0;
        for (int image = 0; image < shape.dimension(0); image++) {
            for (int channel = 0; channel < shape.dimension(1); channel++) {
                for (int row = 0; row < positions.dimension(2); row++) {
                    for (int column = 0; column < positions.dimension(3); column++) {
                        double largest = Double.NEGATIVE_INFINITY;
                        double sum = 0;
                        int count = 0;
                        for (int i = 0; i < window.height(); i++) {
                            for (int j = 0; j < window.width(); j++) {
                                int imageRow = row * window.strideY() - window.top() + i;
                                int imageColumn = column * window.strideX() - window.left() + j;
                                if (isInside(shape, imageRow, imageColumn)) {
                                    double pixel = x[at(shape, image, channel, imageRow, imageColumn)];
                                    largest = Math.max(largest, pixel);
                                    sum += pixel;
                                    count++;
                                }
                            }
                        }
                        y[to++] = isMax
                                ? largest
                                : sum / (countsPadding ? window.height() * window.width() : count);
                    }
                }
            }
        }
        return y;
    }

    static double[] batchNormalization(double epsilon, Shape shape, double[] x, double[] scale, double[] shift) {
        int size = dimension(shape, 2) * dimension(shape, 3);
        double[] y = new double[x.length];
        for (int channel = 0; channel < scale.length; channel++) {
            double mean = 0;
            double square = 0;
            int count = x.length / scale.length;
            for (int i = 0; i < x.length; i++) {
                if (i / size % scale.length == channel) {
                    mean += x[i] / count;
                }
            }
            for (int i = 0; i < x.length; i++) {
                if (i / size % scale.length == channel) {
                    square += (x[i] - mean) * (x[i] - mean) / count;
                }
            }
            for (int i = 0; i < x.length; i++) {
                if (i / size % scale.length == channel) {
                    y[i] = (x[i] - mean) / Math.sqrt(square + epsilon) * scale[channel] + shift[channel];
                }
            }
        }
        return y;
    }

    static double[] channelBias(Shape shape, double[] x, double[] bias) {
        int size = dimension(shape, 2) * dimension(shape, 3);
        double[] y = x.clone();
        for (int i = 0; i < y.length; i++) {
            y[i] += bias[i / size % bias.length];
        }
        return y;
    }

    /** The gradient of {@code sum(behind * definition)} by one of the inputs, by central differences. */
    static double[] differences(Definition definition, double[] behind, int input, double step, double[]... inputs) {
        double[] gradient = new double[inputs[input].length];
        for (int i = 0; i < gradient.length; i++) {
            double value = inputs[input][i];
            inputs[input][i] = value + step;
            double above = dot(behind, definition.apply(inputs));
            inputs[input][i] = value - step;
            double below = dot(behind, definition.apply(inputs));
            inputs[input][i] = value;
            gradient[i] = (above - below) / (2 * step);
        }
        return gradient;
    }

    private static double dot(double[] left, double[] right) {
        double sum = 0;
        for (int i = 0; i < right.length; i++) {
            sum += left[i] * right[i];
        }
        return sum;
    }

    static float[] values(Random random, Shape shape) {
        float[] values = new float[count(shape)];
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat(-1, 1);
        }
        return values;
    }

    /** Whole numbers in any order, so that no two are nearer than a step of a difference: a maximum has no kink there. */
    static float[] distinct(Random random, Shape shape) {
        float[] values = new float[count(shape)];
        for (int i = 0; i < values.length; i++) {
            int other = random.nextInt(i + 1);
            values[i] = values[other];
            values[other] = i - values.length / 2;
        }
        return values;
    }

    static double[] doubles(float... values) {
        double[] doubles = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            doubles[i] = values[i];
        }
        return doubles;
    }

    /** By counting the positions. */
    static Shape positions(Window window, Shape x, long channels) {
        int rows = 0;
        while (rows * window.strideY() + window.height() <= x.dimension(2) + window.top() + window.bottom()) {
            rows++;
        }
        int columns = 0;
        while (columns * window.strideX() + window.width() <= x.dimension(3) + window.left() + window.right()) {
            columns++;
        }
        return Shape.of(x.dimension(0), channels, rows, columns);
    }

    private static boolean isInside(Shape x, int row, int column) {
        return row >= 0 && row < x.dimension(2) && column >= 0 && column < x.dimension(3);
    }

    private static int at(Shape shape, int image, int channel, int row, int column) {
        return ((image * dimension(shape, 1) + channel) * dimension(shape, 2) + row) * dimension(shape, 3) + column;
    }

    private static int dimension(Shape shape, int axis) {
        return Math.toIntExact(shape.dimension(axis));
    }

    static int count(Shape shape) {
        return Math.toIntExact(shape.elementCount());
    }
}
