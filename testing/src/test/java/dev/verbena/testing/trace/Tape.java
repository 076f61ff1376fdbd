package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The allocations of one training step, by reverse-mode differentiation over a tape: the forward pass keeps every output, the backward
 * pass goes through the operations from the last to the first, makes the gradients of their inputs and variables, and frees each
 * output with its gradient as soon as its own operation is done. A second contribution to a gradient is a temporary that is added to the
 * first. The update is plain SGD: in place, no state; it frees the gradients.
 */
final class Tape {
    private final TraceBuilder trace;
    private final Map<String, Value> variables;
    private final boolean isDeclaring;
    private final List<Step> steps = new ArrayList<>();
    private final List<Value> losses = new ArrayList<>();

    private record Step(Layer layer, Value output, List<Value> inputs, List<Integer> savedIds) {}

    private Tape(TraceBuilder trace, Map<String, Value> variables, boolean isDeclaring) {
        this.trace = trace;
        this.variables = variables;
        this.isDeclaring = isDeclaring;
    }

    /** Training steps of a model, one per iteration. */
    static Trace train(Model model, int iterations) {
        TraceBuilder trace = new TraceBuilder();
        Map<String, Value> variables = new LinkedHashMap<>();
        declare(model).forEach((name, byteSize) -> variables.put(name,
                new Value(trace.allocate(byteSize), byteSize, true)));
        for (int iteration = 0; iteration < iterations; iteration++) {
            trace.mark();
            Tape tape = new Tape(trace, variables, false);
            model.forward(tape);
            tape.backward();
            tape.update();
        }
        trace.mark();
        variables.values().forEach(variable -> trace.free(variable.id));
        return trace.build();
    }

    /** The model's variables and their sizes in order of first use, by running it once for nothing. */
    static Map<String, Long> declare(Model model) {
        Tape tape = new Tape(new TraceBuilder(), new LinkedHashMap<>(), true);
        model.forward(tape);
        Map<String, Long> byteSizes = new LinkedHashMap<>();
        tape.variables.forEach((name, variable) -> byteSizes.put(name, variable.byteSize));
        return byteSizes;
    }

    /** The variable of that name; the same one at every use. */
    Value variable(String name, long byteSize) {
        Value variable = isDeclaring
                ? variables.computeIfAbsent(name, _ -> new Value(trace.allocate(byteSize), byteSize, true))
                : variables.get(name);
        if (variable == null || variable.byteSize != byteSize) {
            throw new IllegalStateException(
                    "variable " + name + " byteSize=" + byteSize + " is not what the model declared at first");
        }
        return variable;
    }

    /** What no gradient is made for: a mini-batch, an initial state. */
    Value constant(long byteSize) {
        Value value = new Value(trace.allocate(byteSize), byteSize, false);
        steps.add(new Step(Layer.of(byteSize), value, List.of(), List.of()));
        return value;
    }

    Value apply(Layer layer, Value... inputs) {
        int workspace = takeWorkspace(layer);
        Value output = new Value(trace.allocate(layer.byteSize()), layer.byteSize(), true);
        List<Integer> savedIds = layer.savedByteSizes().stream().map(trace::allocate).toList();
        freeWorkspace(workspace);
        steps.add(new Step(layer, output, List.of(inputs), savedIds));
        return output;
    }

    /** Softmax, whose result is kept, and cross-entropy, one number. */
    void loss(Value logits) {
        losses.add(apply(Layer.of(Float.BYTES).saving(logits.byteSize), logits));
    }

    private void backward() {
        losses.forEach(this::contribute);
        steps.reversed().forEach(this::backward);
    }

    private void backward(Step step) {
        Value output = step.output;
        if (output.gradientId != Value.NONE) {
            int workspace = takeWorkspace(step.layer);
            step.layer.variables().forEach(this::contribute);
            step.inputs.stream().filter(input -> input.isDifferentiated).forEach(this::contribute);
            freeWorkspace(workspace);
            trace.free(output.gradientId);
        }
        step.savedIds.forEach(trace::free);
        trace.free(output.id);
    }

    private void update() {
        for (Value variable : variables.values()) {
            trace.free(variable.gradientId);
            variable.gradientId = Value.NONE;
        }
    }

    private void contribute(Value value) {
        int gradient = trace.allocate(value.byteSize);
        if (value.gradientId == Value.NONE) {
            value.gradientId = gradient;
        } else {
            trace.free(gradient);
        }
    }

    private int takeWorkspace(Layer layer) {
        return layer.workspaceByteSize() == 0 ? Value.NONE : trace.allocate(layer.workspaceByteSize());
    }

    private void freeWorkspace(int workspace) {
        if (workspace != Value.NONE) {
            trace.free(workspace);
        }
    }
}
