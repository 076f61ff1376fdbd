package dev.verbena.cli.infer;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.Tensor;
import dev.verbena.onnxruntime.CrossingTensor;
import dev.verbena.onnxruntime.ModelPlan;
import dev.verbena.page.FileTrouble;

/** Where a model's outputs are written, each into a file of its own. */
final class OutputFolder {
    /** What files of outputs are like. */
    enum Format {
        /** NumPy's, called as the output. */
        npy,
        /** ONNX's, called output_0 and so on as in its test data, each with the output's name in it. */
        pb
    }

    private final Path folder;
    private final Format format;
    private final List<String> names;

    private OutputFolder(Path folder, Format format, List<String> names) {
        this.folder = folder;
        this.format = format;
        this.names = names;
    }

    /**
     * Makes the folder if it is not there.
     *
     * @throws BadInputException if that is not possible, or the format has no such elements as an output
     */
    static OutputFolder create(Path folder, Format format, ModelPlan plan) {
        List<String> names = new ArrayList<>();
        for (CrossingTensor output : plan.inputs(ModelPlan.CLIENT)) {
            if (format == Format.npy && !NpyFormat.has(output.type())) {
                throw new BadInputException("output '" + output.name() + "' is " + output.type()
                        + ", which .npy files have not; give --output-format=pb");
            }
            names.add(output.name());
        }
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new BadInputException("--output=" + folder + " cannot be made: " + FileTrouble.of(e)
                    + "; give a folder, or one that can be made");
        }
        if (!Files.isWritable(folder)) {
            throw new BadInputException("--output=" + folder + " cannot be written to");
        }
        return new OutputFolder(folder, format, names);
    }

    /** The file of each. @throws FailedRunException if one cannot be written */
    Map<String, Path> write(Map<String, Tensor> outputs) {
        Map<String, Path> written = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Tensor tensor = outputs.get(name);
            Path file = folder.resolve(format == Format.pb ? "output_" + i + TensorFile.PROTO : fileName(i));
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
                if (format == Format.pb) {
                    TensorProtoFormat.write(out, name, tensor.type(), tensor.shape(), tensor.memory());
                } else {
                    NpyFormat.write(out, tensor.type(), tensor.shape(), tensor.memory());
                }
            } catch (IOException e) {
                throw new FailedRunException(
                        file + " cannot be written: " + FileTrouble.of(e));
            }
            written.put(name, file);
        }
        return written;
    }

    /** The output's name, of which nothing leads out of the folder; with its number where two would be called the same. */
    private String fileName(int index) {
        String plain = plain(names.get(index));
        boolean isAlone = names.stream().filter(each -> plain(each).equals(plain)).count() == 1;
        return (isAlone ? plain : plain + "_" + index) + TensorFile.NPY;
    }

    private static String plain(String name) {
        return name.replaceAll("[^A-Za-z0-9._-]", "_").replaceFirst("^\\.", "_");
    }
}
