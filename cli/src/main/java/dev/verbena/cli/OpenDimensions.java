package dev.verbena.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * The dimensions that the inputs of a model leave open, and numbers for them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class OpenDimensions {
    private OpenDimensions() {}

    /** What the dimension is called that an input leaves open there, if it does. */
    public static Optional<String> name(ValueInfo input, int axis) {
        Optional<Dimension> dimension = input.dimensions().orElseThrow().get(axis);
        return dimension.isEmpty() ? Optional.of(input.name() + "[" + axis + "]")
                : dimension.get().symbols().stream().findFirst();
    }

    /**
     * The numbers that a user gives, by name.
     *
     * @param batch what the first dimension of each input is where it is open; may be null
     * @param symbols go before the batch
     * @throws BadInputException if one of them says nothing of the model
     */
    public static Map<String, Long> numbers(Path file, OnnxModel model, Long batch, Map<String, Long> symbols) {
        Set<String> open = new TreeSet<>();
        Set<String> first = new TreeSet<>();
        for (ValueInfo input : model.graph().requiredInputs()) {
            int rank = input.dimensions().map(List::size).orElse(0);
            for (int i = 0; i < rank; i++) {
                name(input, i).ifPresent(i == 0 ? name -> {
                    open.add(name);
                    first.add(name);
                } : open::add);
            }
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        if (batch != null) {
            if (batch < 1) {
                throw new BadInputException("--batch=" + batch + " is not possible; give 1 or more");
            }
            if (first.isEmpty()) {
                throw new BadInputException(
                        "--batch=" + batch + " has nothing to say: the first dimension of each input of "
                                + file + " is a number; leave it out");
            }
            first.forEach(name -> numbers.put(name, batch));
        }
        symbols.forEach((name, number) -> {
            String given = "--symbol " + name + "=" + number;
            if (!open.contains(name)) {
                throw new BadInputException(given + ": the inputs of " + file + " have no such dimension; "
                        + (open.isEmpty() ? "all of theirs are numbers" : "give one of " + String.join(", ", open)));
            }
            if (number < 0) {
                throw new BadInputException(given + " is not possible; give 0 or more");
            }
            numbers.put(name, number);
        });
        return numbers;
    }
}
