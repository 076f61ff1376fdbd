package dev.verbena.graph.gradient;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;

/** Arithmetic of scalars in double precision, its gradient rules, and what a graph of it computes. */
final class Scalars {
    static final TensorType SCALAR = TensorType.of(ElementType.FLOAT64);

    /** Of one or more. */
    record Sum() implements Scalar {
        @Override
        public double[] of(double... x) {
            return new double[]{Arrays.stream(x).sum()};
        }
    }

    /** Of two, which may be one. */
    record Product() implements Scalar {
        @Override
        public double[] of(double... x) {
            return new double[]{x[0] * x[1]};
        }
    }

    /** Two outputs, sine and cosine. */
    record Rotation() implements Scalar {
        @Override
        public int outputCount() {
            return 2;
        }

        @Override
        public double[] of(double... x) {
            return new double[]{Math.sin(x[0]), Math.cos(x[0])};
        }
    }

    record Negation() implements Scalar {
        @Override
        public double[] of(double... x) {
            return new double[]{-x[0]};
        }
    }

    /** Its gradient comes with it, as that of a loss does: half the square, and the number itself. */
    record HalfSquare() implements Scalar {
        @Override
        public int outputCount() {
            return 2;
        }

        @Override
        public double[] of(double... x) {
            return new double[]{x[0] * x[0] / 2, x[0]};
        }
    }

    /** Nobody has a rule for it. */
    record Floor() implements Scalar {
        @Override
        public double[] of(double... x) {
            return new double[]{Math.floor(x[0])};
        }
    }

    interface Scalar extends Operation {
        double[] of(double... x);

        default int outputCount() {
            return 1;
        }

        @Override
        default String name() {
            return getClass().getSimpleName();
        }

        @Override
        default List<TensorType> infer(List<TensorType> inputs) {
            return Collections.nCopies(outputCount(), SCALAR);
        }
    }

    static final GradientRules RULES = GradientRules.summingBy(new Sum())
            .with(Sum.class, (sum, node) -> {
                for (int i = 0; i < node.node().inputs().size(); i++) {
                    node.give(i, node.gradient(0));
                }
            })
            .with(Product.class, (product, node) -> {
                for (int i = 0; i < 2; i++) {
                    if (node.isWanted(i)) {
                        node.give(i, node.add("gradient_" + i, new Product(), node.gradient(0), node.input(1 - i)));
                    }
                }
            })
            .with(Negation.class, (negation, node) -> node.give(0,
                    node.add("gradient", new Negation(), node.gradient(0))))
            .with(Rotation.class, Scalars::rotate)
            .with(HalfSquare.class, (square, node) -> {
                if (node.hasGradient(1)) {
                    throw new IllegalArgumentException("the second output is for this rule alone");
                }
                node.give(0, node.isLoss(0) && !node.hasGradient(0)
                        ? node.output(1)
                        : node.add("gradient", new Product(), node.gradient(0), node.output(1)));
            });

    private Scalars() {}

    private static void rotate(Rotation rotation, Backward node) {
        Output ofSine = node.hasGradient(0)
                ? node.add("of_sine", new Product(), node.gradient(0), node.output(1))
                : null;
        if (!node.hasGradient(1)) {
            node.give(0, ofSine);
            return;
        }
        Output ofCosine = node.add("of_cosine", new Negation(),
                node.add("of_minus_cosine", new Product(), node.gradient(1), node.output(0)));
        node.give(0, ofSine == null ? ofCosine : node.add("both", new Sum(), ofSine, ofCosine));
    }

    static Map<Output, Double> evaluate(Graph graph, Map<Output, Double> feeds) {
        Map<Output, Double> values = new HashMap<>(feeds);
        for (Node node : graph.nodes()) {
            if (node.operation() instanceof Feed) {
                continue;
            }
            double[] inputs = node.inputs().stream().mapToDouble(values::get).toArray();
            double[] outputs = node.operation() instanceof Scalar scalar ? scalar.of(inputs) : inputs;
            for (int i = 0; i < outputs.length; i++) {
                values.put(node.output(i), outputs[i]);
            }
        }
        return values;
    }
}
