package dev.verbena.cli.infer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.cli.BadInputException;
import dev.verbena.graph.onnx.OnnxException;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxReader;
import dev.verbena.graph.partition.PartitionException;
import dev.verbena.graph.partition.Partitioner;
import dev.verbena.onnxruntime.ModelPlan;
import dev.verbena.page.FileTrouble;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which model, and how it is cut: what {@code infer} and its processes share, so that all come to the same plan. */
final class InferArguments {
    static final int PARTS_MAX = 64;

    @Parameters(paramLabel = "MODEL.onnx", description = "The model.")
    Path file;
    @Option(names = "--parts", paramLabel = "N", defaultValue = "2",
            description = "Processes to divide it among; default ${DEFAULT-VALUE}.")
    int partCount;
    @Option(names = "--symbol", paramLabel = "NAME=N",
            description = "What a dimension is that the model leaves open.")
    Map<String, Long> symbols = new LinkedHashMap<>();
    @Option(names = "--annotations", description = "Put nodes where the model says; see trace --help.")
    boolean isByAnnotation;

    /**
     * As a child process is to be given them.
     *
     * @param numbers for all that the model leaves open
     */
    List<String> toCommandLine(Map<String, Long> numbers) {
        List<String> arguments = new ArrayList<>(List.of(file.toAbsolutePath().toString(), "--parts=" + partCount));
        numbers.forEach((name, number) -> arguments.add("--symbol=" + name + "=" + number));
        if (isByAnnotation) {
            arguments.add("--annotations");
        }
        return arguments;
    }

    /** @throws BadInputException if there is no such model */
    OnnxModel read() {
        if (partCount < 1 || partCount > PARTS_MAX) {
            throw new BadInputException("--parts=" + partCount + " is not possible; give 1 to " + PARTS_MAX);
        }
        if (!Files.isRegularFile(file)) {
            throw new BadInputException((Files.exists(file) ? file + " is no file" : "there is no file " + file)
                    + "; give an ONNX model");
        }
        symbols.forEach((name, number) -> {
            if (number < 1) {
                throw new BadInputException("--symbol " + name + "=" + number + " is not possible; give 1 or more");
            }
        });
        return reading(() -> OnnxReader.read(file));
    }

    /**
     * @param numbers for what the model leaves open
     * @throws BadInputException if it cannot be cut so
     */
    ModelPlan plan(Map<String, Long> numbers) {
        Partitioner partitioner = Partitioner.into(partCount);
        return reading(() -> ModelPlan.of(file, numbers, isByAnnotation ? partitioner.withAnnotations() : partitioner));
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private <T> T reading(Reading<T> reading) {
        try {
            return reading.read();
        } catch (OnnxException e) {
            throw new BadInputException(file + " is no ONNX model that can be read: " + e.getMessage());
        } catch (PartitionException | IllegalArgumentException e) {
            throw new BadInputException(file + " cannot be divided so: " + e.getMessage());
        } catch (IOException e) {
            throw new BadInputException(
                    file + " cannot be read: " + FileTrouble.of(e));
        }
    }
}
