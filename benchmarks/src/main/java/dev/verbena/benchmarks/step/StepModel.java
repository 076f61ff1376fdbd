package dev.verbena.benchmarks.step;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameter;
import dev.verbena.training.model.Parameters;

/**
 * A model as a parameter server sees it: its variables; and how long a worker computes between two steps.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: EuroSys'19, table 2.
 *
 * @param computingMs one sample on a GPU of the paper's, a Tesla P100
 */
record StepModel(String title, List<TensorType> variables, double computingMs) {
    /** In the order of the table. */
    static final List<StepModel> ALL = List.of(image("alexnet", 7.61), image("inception3", 68.32),
            image("vgg16", 30.92), recurrent("lstm", 4, 33.33), recurrent("gru", 3, 30.44), image("fcn5", 4.88));
    /** Of a hidden vector. That inputs are as wide, and outputs a thousand, follows from the table's bytes. */
    private static final int WIDTH = 1024;
    private static final int OUTPUTS = 1000;

    private static StepModel image(String title, double computingMs) {
        Model model = Model.named(title);
        return new StepModel(title, Parameters.of(model, model.synthetic(1)).all().stream().map(Parameter::type)
                .toList(), computingMs);
    }

    /** @param gates each of which has weights of its own for the input and for the hidden vector, and a bias */
    private static StepModel recurrent(String title, int gates, double computingMs) {
        List<TensorType> variables = new ArrayList<>();
        for (int gate = 0; gate < gates; gate++) {
            Stream.of(floats(WIDTH, WIDTH), floats(WIDTH, WIDTH), floats(WIDTH)).forEach(variables::add);
        }
        variables.add(floats(WIDTH, OUTPUTS));
        variables.add(floats(OUTPUTS));
        return new StepModel(title, List.copyOf(variables), computingMs);
    }

    private static TensorType floats(long... dimensions) {
        return TensorType.of(ElementType.FLOAT32, dimensions);
    }

    static StepModel named(String title) {
        return ALL.stream().filter(model -> model.title.equals(title)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + title + "' is none of " + titles()));
    }

    static String titles() {
        return String.join(",", ALL.stream().map(StepModel::title).toList());
    }

    /** Of all variables. */
    long byteSize() {
        return variables.stream().mapToLong(variable -> variable.shape().toShape().elementCount() * Float.BYTES).sum();
    }
}
