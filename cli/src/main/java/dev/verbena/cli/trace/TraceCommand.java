package dev.verbena.cli.trace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.JsonOutput;
import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.OpenDimensions;
import dev.verbena.cli.ReportFile;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxException;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.OnnxReader;
import dev.verbena.graph.onnx.ShapeInference;
import dev.verbena.graph.partition.PartitionException;
import dev.verbena.graph.partition.Partitioner;
import dev.verbena.graph.partition.Partitioning;
import dev.verbena.page.FileTrouble;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code verbena trace}: what a model would send if it ran in several processes, found without running it.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to its thread.
 */
@Command(name = "trace", mixinStandardHelpOptions = true,
        description = "Divide an ONNX model into parts, and show what crosses, by which protocol and why, and what each part takes.")
public final class TraceCommand implements Callable<Integer> {
    private static final int PARTS_MAX = 1000;

    @Parameters(paramLabel = "MODEL.onnx", description = "The model.")
    private Path file;
    @Option(names = "--parts", paramLabel = "N", defaultValue = "2",
            description = "Processes to divide it among; default ${DEFAULT-VALUE}.")
    private int partCount;
    @Option(names = "--batch", paramLabel = "B",
            description = "What the first dimension of each input is, where the model leaves it open.")
    private Long batch;
    @Option(names = "--symbol", paramLabel = "NAME=N",
            description = "What another dimension is that the model leaves open.")
    private Map<String, Long> symbols = new LinkedHashMap<>();
    @Option(names = "--rule", paramLabel = "OPERATOR=PART", description = "Put all nodes of an operator into a part.")
    private Map<String, Integer> rules = new LinkedHashMap<>();
    @Option(names = "--annotations",
            description = "Put nodes where the model says: by metadata '" + Partitioner.METADATA
                    + "' or a name that begins with 'part0/', 'part1/' ...")
    private boolean isByAnnotation;
    @Mixin
    private JsonOutput json;
    @Option(names = "--report", paramLabel = "FILE",
            description = "Draw the graph there, as a page that opens in any browser.")
    private Path report;

    @Override
    public Integer call() {
        if (partCount < 1 || partCount > PARTS_MAX) {
            throw new BadInputException("--parts=" + partCount + " is not possible; give 1 to " + PARTS_MAX);
        }
        json.check();
        ReportFile page = report == null ? null : ReportFile.check("--report", report);
        Trace trace = trace();
        json.text().print(TraceText.of(trace));
        json.write(TraceJson.of(trace));
        if (page != null) {
            page.write(TraceHtml.of(trace));
        }
        return ExitStatus.SUCCESS;
    }

    private Trace trace() {
        OnnxModel model = read();
        try {
            InferredShapes shapes = infer(model);
            return Trace.of(file.getFileName().toString(), model, shapes, divide(model, shapes));
        } catch (OnnxException e) {
            throw new BadInputException(file + " contradicts itself: " + e.getMessage());
        }
    }

    private OnnxModel read() {
        if (!Files.isRegularFile(file)) {
            throw new BadInputException((Files.exists(file) ? file + " is no file" : "there is no file " + file)
                    + "; give an ONNX model");
        }
        try {
            return OnnxReader.read(file);
        } catch (OnnxException e) {
            throw new BadInputException(file + " is no ONNX model that can be read: " + e.getMessage());
        } catch (IOException e) {
            throw new BadInputException(file + " cannot be read: " + FileTrouble.of(e));
        }
    }

    private InferredShapes infer(OnnxModel model) {
        ShapeInference inference = ShapeInference.of(model);
        for (Map.Entry<String, Long> number : OpenDimensions.numbers(file, model, batch, symbols).entrySet()) {
            inference = inference.withSymbol(number.getKey(), number.getValue());
        }
        return inference.infer();
    }

    private Partitioning divide(OnnxModel model, InferredShapes shapes) {
        Partitioner partitioner = Partitioner.into(partCount);
        if (isByAnnotation) {
            partitioner = partitioner.withAnnotations();
        }
        Set<String> operators = new TreeSet<>();
        model.graph().nodes().stream().map(OnnxNode::qualifiedOperator).forEach(operators::add);
        for (Map.Entry<String, Integer> rule : rules.entrySet()) {
            if (!operators.contains(rule.getKey())) {
                throw new BadInputException("--rule " + rule.getKey() + "=" + rule.getValue() + ": no node of " + file
                        + " has that operator; give one of " + String.join(", ", operators));
            }
            partitioner = partitioner.withRule(rule.getKey(), rule.getValue());
        }
        try {
            return partitioner.partition(model.graph(), shapes);
        } catch (PartitionException e) {
            throw new BadInputException(file + " cannot be divided so: " + e.getMessage());
        }
    }
}
