package dev.verbena.cli.infer;

import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Optional;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FabricOption;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JavaCommand;
import dev.verbena.cli.JsonOutput;
import dev.verbena.cli.OpenDimensions;
import dev.verbena.cli.WaitNotices;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Tensor;
import dev.verbena.onnxruntime.ModelPlan;
import dev.verbena.onnxruntime.PartClient;
import dev.verbena.onnxruntime.PartException;
import dev.verbena.onnxruntime.PartStatistics;
import dev.verbena.onnxruntime.WholeModel;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code verbena infer}: a model runs in several processes, and beside that in one session of this one.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to its thread.
 */
@Command(name = "infer", mixinStandardHelpOptions = true,
        description = "Run an ONNX model in parts, each by ONNX Runtime in a process of its own on this machine, and beside that in one session.")
public final class InferCommand implements Callable<Integer> {
    private static final long START_SECONDS = 300;
    private static final int ITERATIONS = 20;
    private static final int ITERATIONS_MAX = 1_000_000;

    @Mixin
    private InferArguments model;
    @Option(names = "--batch", paramLabel = "N",
            description = "What the first dimension of each input is, where the model leaves it open.")
    private Long batch;
    @Option(names = "--input", paramLabel = "NAME=FILE",
            description = "What the model is given: NumPy's .npy, a TensorProto's .pb, or elements and nothing else, for each of its inputs."
                    + " Dimensions that the model leaves open are as those files say.")
    private Map<String, Path> files = new LinkedHashMap<>();
    @Option(names = "--output", paramLabel = "FOLDER",
            description = "Infer once, write the outputs there, and measure nothing unless --iterations says so.")
    private Path output;
    @Option(names = "--output-format", paramLabel = "FORMAT", defaultValue = "npy",
            description = "npy or pb, a TensorProto each as in ONNX's test data; default ${DEFAULT-VALUE}.")
    private OutputFolder.Format format;
    @Option(names = "--iterations", paramLabel = "I",
            description = "Inferences to measure, one after the other, and again as many at a time as there is room for; default 20.")
    private Integer givenIterations;
    @Mixin
    private RuntimeArguments runtime;
    @Mixin
    private FabricOption fabric;
    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "Of the inputs, which are random where no files are given.")
    private long seed;
    @Option(names = "--verify",
            description = "Compare all outputs of each inference with those of the one session, bit by bit, before anything is measured.")
    private boolean isVerified;
    @Mixin
    private JsonOutput json;

    private int iterations;

    @Override
    public Integer call() {
        json.check();
        iterations = givenIterations == null ? output == null ? ITERATIONS : 0 : givenIterations;
        if (givenIterations != null && iterations < 1 || iterations > ITERATIONS_MAX) {
            throw new BadInputException("--iterations=" + iterations + " is not possible; give 1 to " + ITERATIONS_MAX);
        }
        runtime.check();
        OnnxModel read = model.read();
        InputFiles given = InputFiles.read(files, model.file, read);
        Map<String, Long> numbers = given.numbers(read);
        numbers.putAll(OpenDimensions.numbers(model.file, read, batch, model.symbols));
        ModelPlan plan = model.plan(numbers);
        ModelInputs.requireShapes(plan);
        given.check(plan);
        OutputFolder folder = output == null ? null : OutputFolder.create(output, format, plan);
        String selected = fabric.select(network());
        List<PartProcess> parts = new ArrayList<>();
        boolean isBeside = isVerified || iterations > 0;
        try (WholeModel whole = isBeside ? WholeModel.open(model.file, plan, runtime.options()) : null) {
            for (int i = 0; i < model.partCount; i++) {
                parts.add(PartProcess.start("part " + i, command(i, selected, numbers)));
            }
            json.write(run(plan, selected, whole, parts, given, folder));
            return ExitStatus.SUCCESS;
        } catch (TransferException | PartException | OutOfArenaMemoryException e) {
            throw new FailedRunException(e.getMessage());
        } finally {
            parts.forEach(PartProcess::close);
        }
    }

    private static NetworkOptions network() {
        try {
            return NetworkOptions.ofEnvironment(System.getenv());
        } catch (IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    private List<String> command(int part, String selected, Map<String, Long> numbers) {
        List<String> arguments = new ArrayList<>(
                List.of("infer-part", "--part=" + part, "--fabric=" + selected));
        arguments.addAll(runtime.toCommandLine());
        arguments.addAll(model.toCommandLine(numbers));
        return JavaCommand.of(arguments);
    }

    private Map<String, Object> run(ModelPlan plan, String selected, WholeModel whole, List<PartProcess> parts,
            InputFiles given, OutputFolder folder) {
        try (RdmaDevice device = RdmaDevice
                .create(RdmaDeviceOptions.defaults().withFabric(selected).withName("client"));
                PartClient client = PartClient.open(plan, device, runtime.options());
                ModelInputs inputs = ModelInputs.allocate(plan, client.arena())) {
            connect(parts, client, device.endpoint());
            int verified = isVerified ? verify(client, whole, inputs, given) : 0;
            fill(inputs, given, 0);
            Map<String, Path> written = folder == null ? Map.of() : write(client, inputs.tensors(), folder);
            InferFigures apart = iterations == 0 ? null : measure(client, inputs.tensors());
            InferFigures together = iterations == 0 ? null : measure(whole, inputs.tensors());
            List<PartMessage.Stopped> ends = new ArrayList<>();
            parts.forEach(part -> part.order(new PartOrder.Stop()));
            parts.forEach(part -> ends.add(part.await(PartMessage.Stopped.class, START_SECONDS)));
            parts.forEach(PartProcess::awaitEnd);
            Map<String, Object> figures = figures(plan, selected, verified, apart, together, ends, written);
            print(plan, selected, verified, apart, together, figures);
            return figures;
        }
    }

    private static void connect(List<PartProcess> parts, PartClient client, Endpoint own) {
        try (WaitNotices.Notice _ = WaitNotices.onStandardError().begin(() -> "waiting for all parts to come up", "",
                WaitNotices.NO_LIMIT)) {
            List<Endpoint> endpoints = new ArrayList<>();
            parts.forEach(part -> endpoints.add(part.await(PartMessage.Listening.class, START_SECONDS).endpoint()));
            parts.forEach(part -> part.order(new PartOrder.Connect(own, endpoints)));
            client.connect(IntStream.range(0, parts.size()).boxed()
                    .collect(Collectors.toMap(Function.identity(), endpoints::get)));
            parts.forEach(part -> part.await(PartMessage.Connected.class, START_SECONDS));
        }
    }

    private void fill(ModelInputs inputs, InputFiles given, int inference) {
        if (given.areGiven()) {
            inputs.fill(given);
        } else {
            inputs.fill(seed + inference);
        }
    }

    private static Map<String, Path> write(PartClient client, Map<String, Tensor> inputs, OutputFolder folder) {
        Map<String, Tensor> outputs = client.infer(inputs);
        try {
            return folder.write(outputs);
        } finally {
            outputs.values().forEach(Tensor::close);
        }
    }

    /** Of as many inferences as are measured, each with other inputs; of one where they are given, or nothing is measured. */
    private int verify(PartClient client, WholeModel whole, ModelInputs inputs, InputFiles given) {
        int count = given.areGiven() || iterations == 0 ? 1 : iterations;
        for (int i = 0; i < count; i++) {
            fill(inputs, given, i);
            Map<String, byte[]> expected = whole.infer(inputs.tensors());
            Map<String, Tensor> outputs = client.infer(inputs.tensors());
            try {
                for (Map.Entry<String, Tensor> output : outputs.entrySet()) {
                    byte[] computed = output.getValue().memory().toArray(ValueLayout.JAVA_BYTE);
                    Optional<String> difference = OutputDifference.between(computed, expected.get(output.getKey()),
                            output.getValue().type());
                    if (difference.isPresent()) {
                        throw new FailedRunException("output '" + output.getKey() + "' of inference " + i
                                + (given.areGiven() ? "" : " with --seed=" + seed)
                                + " differs from that of one session, " + difference.get()
                                + "; how ONNX Runtime fuses nodes and lays tensors out depends on where a model is cut, which changes"
                                + " the last bits of some: give --optimization=extended, or basic");
                    }
                }
            } finally {
                outputs.values().forEach(Tensor::close);
            }
        }
        return count;
    }

    private InferFigures measure(PartClient client, Map<String, Tensor> inputs) {
        client.infer(inputs).values().forEach(Tensor::close);
        long[] latencyNs = new long[iterations];
        for (int i = 0; i < iterations; i++) {
            long startNs = System.nanoTime();
            client.infer(inputs).values().forEach(Tensor::close);
            latencyNs[i] = System.nanoTime() - startNs;
        }
        int depth = runtime.options().depth();
        long startNs = System.nanoTime();
        int sent = 0;
        for (int received = 0; received < iterations; received++) {
            while (sent < iterations && sent - received < depth) {
                client.send(inputs);
                sent++;
            }
            client.receive().values().forEach(Tensor::close);
        }
        return new InferFigures(latencyNs, System.nanoTime() - startNs);
    }

    private InferFigures measure(WholeModel whole, Map<String, Tensor> inputs) {
        whole.infer(inputs);
        long[] latencyNs = new long[iterations];
        long firstNs = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            long startNs = System.nanoTime();
            whole.infer(inputs);
            latencyNs[i] = System.nanoTime() - startNs;
        }
        return new InferFigures(latencyNs, System.nanoTime() - firstNs);
    }

    private Map<String, Object> figures(ModelPlan plan, String selected, int verified, InferFigures apart,
            InferFigures together, List<PartMessage.Stopped> ends, Map<String, Path> written) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("model", model.file.getFileName().toString());
        figures.put("nodes", plan.model().graph().nodes().size());
        figures.put("fabric", selected);
        figures.put("threads", runtime.options().threads());
        figures.put("iterations", iterations);
        figures.put("verified", verified);
        figures.put("placed", sum(ends, end -> end.statistics().placed()));
        figures.put("copiesFirst", sum(ends, end -> end.statistics().copiesFirst()));
        figures.put("copiesLater", sum(ends, end -> end.statistics().copiesLater() + end.stagingCopies()));
        if (iterations > 0) {
            figures.put("processes", apart.toMap());
            figures.put("oneSession", together.toMap());
        }
        Map<String, String> outputs = new LinkedHashMap<>();
        written.forEach((name, file) -> outputs.put(name, file.toString()));
        figures.put("outputs", outputs);
        figures.put("parts", ends.stream().map(InferCommand::partMap).toList());
        return figures;
    }

    private static Map<String, Object> partMap(PartMessage.Stopped end) {
        PartStatistics statistics = end.statistics();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("part", end.part());
        map.put("pid", end.pid());
        map.put("inferences", statistics.inferences());
        map.put("placed", statistics.placed());
        map.put("copiesFirst", statistics.copiesFirst());
        map.put("copiesLater", statistics.copiesLater());
        map.put("copiedBytes", statistics.copiedByteSize());
        map.put("stagingCopies", end.stagingCopies());
        map.put("runNs", statistics.runNs());
        return map;
    }

    private static long sum(List<PartMessage.Stopped> ends, ToLongFunction<PartMessage.Stopped> figure) {
        return ends.stream().mapToLong(figure).sum();
    }

    private void print(ModelPlan plan, String selected, int verified, InferFigures apart, InferFigures together,
            Map<String, Object> figures) {
        PrintStream text = json.text();
        text.printf("%s: %d nodes in %d parts, fabric %s, %d inferences%n%n", figures.get("model"),
                plan.model().graph().nodes().size(), model.partCount, selected, iterations);
        if (iterations > 0) {
            text.printf("%-22s %14s %14s %16s%n", "", "median[us]", "max[us]", "inferences/s");
            text.print(apart.toRow(model.partCount + (model.partCount == 1 ? " process" : " processes")));
            text.print(together.toRow("one session"));
            text.println();
        }
        ((Map<?, ?>) figures.get("outputs"))
                .forEach((name, file) -> text.printf("written   %s: %s%n", name, file));
        text.printf("placed    %d outputs computed where the next process takes them%n", figures.get("placed"));
        text.printf("copies    %d in the first inference, %d later%n", figures.get("copiesFirst"),
                figures.get("copiesLater"));
        if (isVerified) {
            text.printf("verified  %d inferences, bit for bit%n", verified);
        }
    }
}
