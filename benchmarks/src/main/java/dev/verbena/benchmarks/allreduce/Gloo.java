package dev.verbena.benchmarks.allreduce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import dev.verbena.benchmarks.Program;
import dev.verbena.cli.FreePort;

/**
 * All-reduces of PyTorch by Gloo, over loopback, which is what Gloo has between processes of a machine: a Python program for each member.
 *
 * <p><b>Owner:</b> {@link AllReduceBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class Gloo {
    /** The first on the path may be one that has not what Debian's packages bring. */
    private static final List<String> PYTHONS = List.of("python3", "/usr/bin/python3");
    private static final Pattern VERSION = Pattern.compile("^version (.*)");
    private static final Pattern TIME = Pattern.compile("^time \\d+ (.*)");
    /** Says what is there; if it is not, only that. */
    private static final String ASK = """
            try:
                import torch, torch.distributed
                print('version', torch.__version__ if torch.distributed.is_gloo_available() else '')
            except (ImportError, AttributeError):
                print('version ')
            """;
    /** Where benchmarks/run keeps the program. */
    private static final String SCRIPT = "verbena.gloo";

    private final String python;
    private final String version;

    private Gloo(String python, String version) {
        this.python = python;
        this.version = version;
    }

    /** Nothing where no Python has PyTorch with Gloo. */
    static Optional<Gloo> find() {
        return PYTHONS.stream().map(python -> new Gloo(python, versionOf(python)))
                .filter(gloo -> !gloo.version.isEmpty()).findFirst();
    }

    private static String versionOf(String python) {
        try (Program asked = Program.start(Map.of(), List.of(python, "-c", ASK))) {
            return asked.await(VERSION);
        } catch (IOException | IllegalStateException e) {
            return ""; // No Python, or a very old one.
        }
    }

    /** Of PyTorch. */
    String version() {
        return version;
    }

    /** Median microseconds, as rank 0 has them. */
    Map<Long, Double> micros(AllReduceWork work) throws IOException, InterruptedException {
        List<String> sizes = work.byteSizes().stream().map(byteSize -> byteSize + ":" + work.count(byteSize) + ":"
                + work.count(byteSize)).toList();
        int port = FreePort.onLoopback();
        List<Program> members = new ArrayList<>();
        try {
            for (int rank = 0; rank < work.members(); rank++) {
                List<String> command = new ArrayList<>(List.of(python, script().toString(), "" + rank,
                        "" + work.members(), "" + port));
                command.addAll(sizes);
                members.add(Program.start(Map.of(), command));
            }
            Map<Long, Double> micros = new LinkedHashMap<>();
            for (long byteSize : work.byteSizes()) {
                micros.put(byteSize, Double.parseDouble(members.getFirst().await(TIME)));
            }
            for (Program member : members) {
                member.succeed();
            }
            return micros;
        } finally {
            members.forEach(Program::close);
        }
    }

    private static Path script() {
        Path script = Path.of(System.getProperty(SCRIPT, ""));
        if (!Files.isRegularFile(script)) {
            throw new IllegalStateException("-D" + SCRIPT + " is not set: start it by ./verbena bench allreduce");
        }
        return script;
    }
}
