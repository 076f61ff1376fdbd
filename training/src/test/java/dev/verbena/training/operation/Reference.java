package dev.verbena.training.operation;

/** The mathematics in double precision, written as in a textbook: what kernels are compared with. */
public final class Reference {
    private Reference() {}

    public static double[] multiply(boolean transposeA, boolean transposeB, int m, int n, int k, float[] a, float[] b) {
        double[] product = new double[m * n];
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                for (int l = 0; l < k; l++) {
                    product[i * n + j] += (double) (transposeA ? a[l * m + i] : a[i * k + l])
                            * (transposeB ? b[j * k + l] : b[l * n + j]);
                }
            }
        }
        return product;
    }

    public static double celu(double x) {
        return x > 0 ? x : Celu.ALPHA * Math.expm1(x / Celu.ALPHA);
    }

    /** The mean loss of a fully connected network. @param variables weights of all layers, then biases */
    public static double loss(int[] widths, double[][] variables, float[] images, int[] labels) {
        int layers = widths.length - 1;
        double sum = 0;
        for (int row = 0; row < labels.length; row++) {
            double[] signal = new double[widths[0]];
            for (int i = 0; i < signal.length; i++) {
                signal[i] = images[row * widths[0] + i];
            }
            for (int layer = 0; layer < layers; layer++) {
                double[] next = variables[layers + layer].clone();
                for (int j = 0; j < next.length; j++) {
                    for (int i = 0; i < signal.length; i++) {
                        next[j] += signal[i] * variables[layer][i * next.length + j];
                    }
                    next[j] = layer == layers - 1 ? next[j] : celu(next[j]);
                }
                signal = next;
            }
            double total = 0;
            for (double logit : signal) {
                total += Math.exp(logit);
            }
            sum += Math.log(total) - signal[labels[row]];
        }
        return sum / labels.length;
    }
}
