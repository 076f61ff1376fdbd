package dev.verbena.cli.infer;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.OpenDimensions;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.onnxruntime.CrossingTensor;
import dev.verbena.onnxruntime.ModelPlan;

/** The files of a model's inputs: those that say type and shape are read, others have elements only. */
final class InputFiles {
    private final Map<String, Path> files;
    private final Map<String, TensorFile> described = new LinkedHashMap<>();
    private final Map<String, MemorySegment> elements = new LinkedHashMap<>();

    private InputFiles(Map<String, Path> files) {
        this.files = files;
    }

    /**
     * Reads them.
     *
     * @param files by input
     * @throws BadInputException if one cannot be read, or they are not those of the model's inputs
     */
    static InputFiles read(Map<String, Path> files, Path file, OnnxModel model) {
        Map<String, ValueInfo> inputs = model.graph().requiredInputs().stream()
                .collect(Collectors.toMap(ValueInfo::name, each -> each, (a, _) -> a, LinkedHashMap::new));
        files.forEach((name, each) -> {
            if (!inputs.containsKey(name)) {
                throw new BadInputException("--input " + name + "=" + each + ": " + file
                        + " has no such input; its inputs are " + String.join(", ", inputs.keySet()));
            }
        });
        Set<String> missing = new TreeSet<>(inputs.keySet());
        missing.removeAll(files.keySet());
        if (!files.isEmpty() && !missing.isEmpty()) {
            throw new BadInputException("there is no file for " + String.join(", ", missing)
                    + "; give --input NAME=FILE for each input, or for none");
        }
        InputFiles read = new InputFiles(Map.copyOf(files));
        files.forEach((name, each) -> {
            if (TensorFile.isDescribed(each)) {
                read.described.put(name, TensorFile.read(each));
            }
        });
        return read;
    }

    boolean areGiven() {
        return !files.isEmpty();
    }

    /** Numbers for dimensions that the model leaves open and that these files tell; the first that tells one counts. */
    Map<String, Long> numbers(OnnxModel model) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (ValueInfo input : model.graph().requiredInputs()) {
            TensorFile given = described.get(input.name());
            int rank = input.dimensions().map(List::size).orElse(-1);
            for (int i = 0; given != null && rank == given.shape().rank() && i < rank; i++) {
                long size = given.shape().dimension(i);
                OpenDimensions.name(input, i).ifPresent(name -> numbers.putIfAbsent(name, size));
            }
        }
        return numbers;
    }

    /**
     * Finds the elements of each input.
     *
     * @param plan in which no shape of an input is open
     * @throws BadInputException if one has another type, shape or size than the model says
     */
    void check(ModelPlan plan) {
        for (CrossingTensor input : areGiven() ? plan.outputs(ModelPlan.CLIENT) : List.<CrossingTensor>of()) {
            Shape shape = input.shape().orElseThrow();
            ElementType type = input.type();
            Path file = files.get(input.name());
            TensorFile given = described.get(input.name());
            if (given != null && (given.type() != type || !given.shape().equals(shape))) {
                throw new BadInputException("--input " + input.name() + "=" + file + " is " + given.type() + " "
                        + given.shape() + "; the model takes " + type + " " + shape);
            }
            MemorySegment bytes = given != null ? given.bytes() : TensorFile.map(file);
            if (bytes.byteSize() != shape.byteSize(type)) {
                throw new BadInputException("--input " + input.name() + "=" + file + " has " + bytes.byteSize()
                        + " bytes; the model takes " + type + " " + shape + ", which are " + shape.byteSize(type));
            }
            elements.put(input.name(), bytes);
        }
    }

    /** Of an input, once they are {@linkplain #check checked}. */
    MemorySegment elements(String input) {
        return elements.get(input);
    }
}
