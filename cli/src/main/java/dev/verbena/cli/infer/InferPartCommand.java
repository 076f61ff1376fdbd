package dev.verbena.cli.infer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.RecordLines;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.onnxruntime.ModelPlan;
import dev.verbena.onnxruntime.ModelWeights;
import dev.verbena.onnxruntime.PartException;
import dev.verbena.onnxruntime.PartRunner;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code verbena infer-part}: one part of a model, started by {@code infer}, which is told by lines. When its standard input ends, who
 * started it is gone, however that went, and it halts.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to its thread, but for one that reads.
 */
@Command(name = "infer-part", hidden = true, mixinStandardHelpOptions = true,
        description = "Run one part of a model; started by infer.")
public final class InferPartCommand implements Callable<Integer> {
    /** How long it waits for an inference before it looks whether it is to stop. */
    private static final Duration LOOK = Duration.ofMillis(50);

    @Mixin
    private InferArguments model;
    @Option(names = "--part", required = true, paramLabel = "I", description = "Which one, from 0.")
    private int part;
    @Mixin
    private RuntimeArguments runtime;
    @Option(names = "--fabric", required = true, paramLabel = "NAME", description = "shm or verbs.")
    private String fabric;

    private volatile boolean isStopped;

    @Override
    public Integer call() {
        PrintStream out = System.out;
        System.setOut(System.err);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ModelPlan plan = model.plan(model.symbols);
        try (RdmaDevice device = RdmaDevice
                .create(RdmaDeviceOptions.defaults().withFabric(fabric).withName("part " + part));
                ModelWeights weights = ModelWeights.of(plan.model());
                PartRunner runner = PartRunner.open(plan, part, device, weights, runtime.options())) {
            out.println(RecordLines.write(new PartMessage.Listening(device.endpoint())));
            Map<Integer, Endpoint> endpoints = endpoints(orders.readLine());
            Thread.ofPlatform().daemon().name("orders").start(() -> awaitStop(orders));
            runner.connect(endpoints);
            out.println(RecordLines.write(new PartMessage.Connected()));
            while (!isStopped) {
                runner.infer(LOOK);
            }
            out.println(RecordLines.write(new PartMessage.Stopped(part, ProcessHandle.current().pid(),
                    runner.statistics(), device.statistics().copies())));
            return ExitStatus.SUCCESS;
        } catch (TransferException | PartException | OutOfArenaMemoryException | IOException e) {
            throw new FailedRunException("part " + part + ": " + e.getMessage());
        }
    }

    private static Map<Integer, Endpoint> endpoints(String line) {
        if (line == null || !(RecordLines.read(PartOrder.class,
                line) instanceof PartOrder.Connect(Endpoint client, List<Endpoint> parts))) {
            throw new FailedRunException("who started this part is gone before it began");
        }
        Map<Integer, Endpoint> endpoints = new HashMap<>(Map.of(ModelPlan.CLIENT, client));
        for (int i = 0; i < parts.size(); i++) {
            endpoints.put(i, parts.get(i));
        }
        return endpoints;
    }

    /** Any line says so. */
    private void awaitStop(BufferedReader orders) {
        try {
            isStopped = orders.readLine() != null;
        } catch (IOException _) {
            // As its end.
        }
        if (!isStopped) {
            Runtime.getRuntime().halt(ExitStatus.FAILED);
        }
    }
}
