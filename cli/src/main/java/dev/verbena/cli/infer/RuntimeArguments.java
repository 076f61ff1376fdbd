package dev.verbena.cli.infer;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import dev.verbena.cli.BadInputException;
import dev.verbena.onnxruntime.PartOptions;
import dev.verbena.onnxruntime.PartOptions.Optimization;
import picocli.CommandLine.Option;

/** How ONNX Runtime runs a model and its parts: the same in {@code infer} and its processes. */
final class RuntimeArguments {
    @Option(names = "--timeout", paramLabel = "S", defaultValue = "60",
            description = "Seconds that a process may take for its part of an inference; default ${DEFAULT-VALUE}.")
    private int timeoutSeconds;
    @Option(names = "--threads", paramLabel = "N", defaultValue = "1",
            description = "That ONNX Runtime computes with in each process; default ${DEFAULT-VALUE}.")
    private int threads;
    @Option(names = "--optimization", paramLabel = "LEVEL", defaultValue = "all",
            description = "What ONNX Runtime does to a graph before it runs it: none, basic, extended (nodes are fused), all (and tensors laid"
                    + " out as the processor wants them); default ${DEFAULT-VALUE}.")
    private Optimization optimization;

    /** @throws BadInputException if they are none */
    void check() {
        if (threads < 1 || timeoutSeconds < 1) {
            throw new BadInputException("--threads=" + threads + " --timeout=" + timeoutSeconds
                    + " is not possible; give 1 thread or more, and 1 second or more");
        }
    }

    PartOptions options() {
        return PartOptions.defaults().withThreads(threads).withOptimization(optimization)
                .withTimeout(Duration.ofSeconds(timeoutSeconds));
    }

    /** As a child process is to be given them. */
    List<String> toCommandLine() {
        return List.of("--threads=" + threads, "--timeout=" + timeoutSeconds,
                "--optimization=" + optimization.name().toLowerCase(Locale.ROOT));
    }
}
