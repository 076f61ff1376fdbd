package dev.verbena.training.operation.recurrent;

import java.util.function.DoubleSupplier;

/** Recurrent networks in double precision, written as in a textbook, one sequence after the other: what kernels are compared with. */
public final class RecurrentReference {
    private static final double STEP = 1e-5;

    private RecurrentReference() {}

    /** The difference quotients of a function of what is in the array. */
    public static double[] slopes(double[] x, DoubleSupplier function) {
        double[] slopes = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            double before = x[i];
            x[i] = before + STEP;
            double above = function.getAsDouble();
            x[i] = before - STEP;
            double below = function.getAsDouble();
            x[i] = before;
            slopes[i] = (above - below) / (2 * STEP);
        }
        return slopes;
    }

    /** Outputs [time, batch, hidden], zero behind a sequence's end. @param x [time, batch, inputs] */
    public static double[] lstm(int time, int batch, int inputs, int hidden, int[] lengths, double[] x, double[] wx,
            double[] wh, double[] b) {
        double[] y = new double[time * batch * hidden];
        for (int sequence = 0; sequence < batch; sequence++) {
            double[] h = new double[hidden];
            double[] c = new double[hidden];
            for (int t = 0; t < lengths[sequence]; t++) {
                double[] s = b.clone();
                addProduct(x, (t * batch + sequence) * inputs, inputs, wx, s);
                addProduct(h, 0, hidden, wh, s);
                for (int j = 0; j < hidden; j++) {
                    c[j] = sigmoid(s[hidden + j]) * c[j] + sigmoid(s[j]) * Math.tanh(s[2 * hidden + j]);
                    h[j] = sigmoid(s[3 * hidden + j]) * Math.tanh(c[j]);
                    y[(t * batch + sequence) * hidden + j] = h[j];
                }
            }
        }
        return y;
    }

    /** As {@link #lstm}. */
    public static double[] gru(int time, int batch, int inputs, int hidden, int[] lengths, double[] x, double[] wx,
            double[] wh, double[] b) {
        double[] y = new double[time * batch * hidden];
        for (int sequence = 0; sequence < batch; sequence++) {
            double[] h = new double[hidden];
            for (int t = 0; t < lengths[sequence]; t++) {
                double[] s = new double[3 * hidden];
                double[] r = new double[3 * hidden];
                addProduct(x, (t * batch + sequence) * inputs, inputs, wx, s);
                addProduct(h, 0, hidden, wh, r);
                for (int j = 0; j < hidden; j++) {
                    double reset = sigmoid(s[j] + r[j] + b[j]);
                    double update = sigmoid(s[hidden + j] + r[hidden + j] + b[hidden + j]);
                    double candidate = Math.tanh(s[2 * hidden + j] + b[2 * hidden + j]
                            + reset * (r[2 * hidden + j] + b[3 * hidden + j]));
                    h[j] = (1 - update) * candidate + update * h[j];
                    y[(t * batch + sequence) * hidden + j] = h[j];
                }
            }
        }
        return y;
    }

    private static void addProduct(double[] row, int from, int count, double[] matrix, double[] sums) {
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < sums.length; j++) {
                sums[j] += row[from + i] * matrix[i * sums.length + j];
            }
        }
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
