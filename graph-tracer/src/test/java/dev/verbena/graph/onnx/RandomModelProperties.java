package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.LongStream;

import ai.onnxruntime.OnnxTensor;
import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Random graphs: with numbers for all symbols, each shape is the one that ONNX Runtime computes; with symbols, it is that as soon as they
 * are bound, unless it is said that an expression has become too long; of inputs of which less is known, what is known is the same.
 */
class RandomModelProperties {
    private static final int NODES = 12;
    private static final Map<String, Long> NUMBERS = Map.of("A", 1L, "B", 2L, "C", 3L, "D", 4L, "E", 6L);

    @Property(tries = 300)
    void whatIsInferredIsWhatIsComputed(@ForAll long seed) throws Exception {
        RandomModel random = new RandomModel(new Random(seed), NUMBERS);
        for (int i = 0; i < NODES; i++) {
            random.addNode();
        }
        byte[] bytes = random.model().bytes();
        OnnxModel model = TestModel.read(bytes);
        InferredShapes symbolic = ShapeInference.of(model).infer();
        ShapeInference bound = ShapeInference.of(model);
        ShapeInference vague = ShapeInference.of(model);
        Map<String, OnnxTensor> inputs = new HashMap<>();
        for (Map.Entry<String, Long> number : NUMBERS.entrySet()) {
            bound = bound.withSymbol(number.getKey(), number.getValue());
        }
        for (ValueInfo input : model.graph().requiredInputs()) {
            SymbolicShape shape = symbolic.tensor(input.name()).shape().get();
            vague = vague.withInput(input.name(), vague(input.name(), shape, new Random(seed)));
            inputs.put(input.name(), OnnxRuntime.zeros(input.elementType().get(), sizes(shape.bind(NUMBERS))));
        }
        InferredShapes known = bound.infer();
        InferredShapes less = vague.infer();
        TreeSet<String> outputs = new TreeSet<>();
        model.graph().nodes().forEach(node -> outputs.addAll(node.outputs()));
        OnnxRuntime.run(bytes, outputs, inputs).forEach((name, computed) -> {
            String what = name + " of " + model.graph().nodes();
            assertEquals(computed.type(), known.tensor(name).elementType().get(), what);
            assertEquals(computed.shape(), known.tensor(name).shape().get().toShape(), what);
            assertBinds(known.tensor(name).shape().get(), symbolic.tensor(name).shape().get(), what);
            assertAtMost(less.tensor(name), computed, what);
            known.tensor(name).contents().flatMap(Contents::numbers).filter(none -> computed.integers() != null)
                    .ifPresent(numbers -> assertEquals(Arrays.toString(computed.integers()), Arrays.toString(numbers),
                            what));
        });
    }

    /** Some dimensions are not known. */
    private static SymbolicShape vague(String name, SymbolicShape shape, Random random) {
        List<Dimension> dimensions = new ArrayList<>();
        for (Dimension dimension : shape.dimensions()) {
            dimensions.add(random.nextBoolean() ? dimension
                    : Dimension.unknown(name + dimensions.size(), "this test says so"));
        }
        return new SymbolicShape(dimensions);
    }

    /** An expression that has become too long says so, and of its numbers nothing. */
    private static void assertBinds(SymbolicShape known, SymbolicShape symbolic, String what) {
        List<Dimension> bound = new ArrayList<>();
        for (int i = 0; i < symbolic.rank(); i++) {
            Dimension dimension = symbolic.dimension(i);
            boolean isGivenUp = dimension.reason().filter(reason -> reason.endsWith("has become too long")).isPresent();
            bound.add(isGivenUp ? known.dimension(i) : dimension.bind(NUMBERS));
        }
        assertEquals(known.dimensions(), bound, what);
    }

    private static void assertAtMost(TensorFacts less, OnnxRuntime.Computed computed, String what) {
        less.shape().ifPresent(shape -> {
            assertEquals(computed.shape().rank(), shape.rank(), what);
            for (int i = 0; i < shape.rank(); i++) {
                if (!shape.dimension(i).isUnknown()) {
                    assertEquals(Dimension.of(computed.shape().dimension(i)), shape.dimension(i).bind(NUMBERS), what);
                }
            }
        });
    }

    private static long[] sizes(SymbolicShape shape) {
        return shape.toShape().dimensions();
    }

    /** Adds nodes to a model that can be run: it knows the size of each tensor. */
    private static final class RandomModel {
        private final TestModel model = TestModel.of(17);
        private final Random random;
        private final List<String> symbols;
        private final Map<String, Long> numbers;
        /** Sizes of tensors of floats. */
        private final Map<String, long[]> tensors = new HashMap<>();
        private final List<String> names = new ArrayList<>();
        private int count;

        RandomModel(Random random, Map<String, Long> numbers) {
            this.random = random;
            this.numbers = numbers;
            symbols = numbers.keySet().stream().sorted().toList();
            for (int i = 0; i < 2; i++) {
                Object[] dimensions = new Object[1 + random.nextInt(4)];
                Arrays.setAll(dimensions,
                        axis -> random.nextBoolean() ? any(symbols) : (Object) (1L + random.nextInt(4)));
                model.input("x" + i, ComparedOperators.F, dimensions);
                add("x" + i, Arrays.stream(dimensions)
                        .mapToLong(each -> each instanceof Long size ? size : numbers.get(each)).toArray());
            }
        }

        TestModel model() {
            return model;
        }

        private <T> T any(List<T> list) {
            return list.get(random.nextInt(list.size()));
        }

        private void add(String name, long... sizes) {
            if (Arrays.stream(sizes).reduce(1, (x, y) -> x * y) <= 20_000) {
                tensors.put(name, sizes);
                names.add(name);
            }
        }

        private String fresh() {
            return "t" + count++;
        }

        private static long product(long[] sizes) {
            return Arrays.stream(sizes).reduce(1, (x, y) -> x * y);
        }

        void addNode() {
            String input = any(names);
            long[] sizes = tensors.get(input);
            String output = fresh();
            int rank = sizes.length;
            int axis = rank == 0 ? 0 : random.nextInt(rank);
            switch (rank == 0 ? 0 : random.nextInt(13)) {
                case 0 -> {
                    model.node(any(List.of("Relu", "Neg", "Tanh", "Identity")), input, output);
                    add(output, sizes);
                }
                case 1 -> {
                    List<Long> order = new ArrayList<>(LongStream.range(0, rank).boxed().toList());
                    Collections.shuffle(order, random);
                    model.node("Transpose", input, output, "perm", order.stream().mapToLong(each -> each).toArray());
                    add(output, order.stream().mapToLong(each -> sizes[each.intValue()]).toArray());
                }
                case 2 -> {
                    model.node("Concat", input + "," + input, output, "axis", axis);
                    add(output, with(sizes, axis, 2 * sizes[axis]));
                }
                case 3 -> addSlice(input, sizes, axis, output);
                case 4 -> {
                    String axes = fresh();
                    int at = random.nextInt(rank + 1);
                    model.integers(axes, at).node("Unsqueeze", input + "," + axes, output);
                    long[] more = new long[rank + 1];
                    Arrays.setAll(more, i -> i < at ? sizes[i] : i == at ? 1 : sizes[i - 1]);
                    add(output, more);
                }
                case 5 -> {
                    boolean keeps = random.nextBoolean();
                    model.node("ReduceMax", input, output, "axes", new long[]{axis}, "keepdims", keeps ? 1 : 0);
                    add(output, keeps ? with(sizes, axis, 1) : without(sizes, axis));
                }
                case 6 -> {
                    String pads = fresh();
                    long[] each = new long[2 * rank];
                    each[axis] = random.nextInt(3);
                    each[axis + rank] = random.nextInt(3);
                    model.integers(pads, each).node("Pad", input + "," + pads, output);
                    add(output, with(sizes, axis, sizes[axis] + each[axis] + each[axis + rank]));
                }
                case 7 -> {
                    model.zeros(output + "w", ComparedOperators.F, sizes[rank - 1], 3).node("MatMul",
                            input + "," + output + "w", output);
                    add(output, with(sizes, rank - 1, 3));
                }
                case 8 -> addFlatByShape(input, sizes, output);
                case 9 -> {
                    model.node("Flatten", input, output, "axis", axis);
                    add(output, product(Arrays.copyOf(sizes, axis)), product(Arrays.copyOfRange(sizes, axis, rank)));
                }
                case 10 -> {
                    model.node("Shape", input, output + "s").node("ConstantOfShape", output + "s", output);
                    add(output, sizes);
                }
                case 11 -> {
                    if (rank >= 2 && sizes[rank - 2] <= 2 && sizes[rank - 2] > 0) {
                        model.zeros(output + "b", ComparedOperators.F, 2, 1).node("Add", input + "," + output + "b",
                                output);
                        add(output, with(sizes, rank - 2, 2));
                    }
                }
                default -> addScaled(input, sizes, axis, output);
            }
        }

        private void addSlice(String input, long[] sizes, int axis, String output) {
            long start = random.nextInt(-5, 6);
            long end = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(-5, 6);
            long size = sizes[axis];
            long from = Math.clamp(start < 0 ? start + size : start, 0, size);
            long to = Math.clamp(end < 0 ? end + size : end, 0, size);
            if (to <= from) {
                return;
            }
            long step = 1 + random.nextInt(2);
            model.integers(output + "a", start).integers(output + "b", end).integers(output + "c", axis)
                    .integers(output + "d", step)
                    .node("Slice", String.join(",", input, output + "a", output + "b", output + "c", output + "d"),
                            output);
            add(output, with(sizes, axis, Math.ceilDiv(to - from, step)));
        }

        /** To a vector, and by its shape back: both must be seen to be what they are. */
        private void addFlatByShape(String input, long[] sizes, String output) {
            if (product(sizes) == 0) {
                return; // In a shape 0 stands for a dimension of the input, which is a vector here.
            }
            model.integers(output + "m", -1).node("Reshape", input + "," + output + "m", output + "v")
                    .node("Shape", input, output + "s").node("Reshape", output + "v," + output + "s", output);
            add(output + "v", product(sizes));
            add(output, sizes);
        }

        /** By arithmetic on shapes: one dimension twice as large, or half. */
        private void addScaled(String input, long[] sizes, int axis, String output) {
            boolean isLarger = random.nextBoolean();
            model.integers(output + "i", axis).integers(output + "two", 2).node("Shape", input, output + "s")
                    .node("Gather", output + "s," + output + "i", output + "d")
                    .node(isLarger ? "Mul" : "Div", output + "d," + output + "two", output + "h")
                    .node("ConstantOfShape", output + "h", output);
            add(output, isLarger ? 2 * sizes[axis] : sizes[axis] / 2);
        }

        private static long[] with(long[] sizes, int axis, long size) {
            long[] changed = sizes.clone();
            changed[axis] = size;
            return changed;
        }

        private static long[] without(long[] sizes, int axis) {
            long[] fewer = new long[sizes.length - 1];
            Arrays.setAll(fewer, i -> sizes[i < axis ? i : i + 1]);
            return fewer;
        }
    }
}
