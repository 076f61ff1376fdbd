package dev.verbena.training.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Variable;
import dev.verbena.graph.run.Session;
import dev.verbena.memory.Tensor;
import dev.verbena.training.CheckpointException;
import dev.verbena.training.CheckpointOptions;
import dev.verbena.graph.Graph;

/**
 * The checkpoints of one task: {@code server-0.1200.checkpoint} has its variables after 1200 iterations. The last two are kept, since tasks
 * do not write at the same moment: whoever is killed between, all have the one before.
 *
 * <p><b>Owner:</b> the task. <b>Threading:</b> confined to it.
 */
public final class Checkpoints {
    private static final int KEPT = 2;

    private final CheckpointOptions options;
    private final String task;
    private final String fingerprint;

    /** @param fingerprint of all that decides what is computed */
    public Checkpoints(CheckpointOptions options, String task, String fingerprint) {
        this.options = options;
        this.task = task;
        this.fingerprint = fingerprint;
    }

    private static Path file(Path directory, String task, long iteration) {
        return directory.resolve(prefix(task) + iteration + ".checkpoint");
    }

    private static String prefix(String task) {
        return task.replace(':', '-') + ".";
    }

    /** The iterations of which a task has a checkpoint. @throws CheckpointException if the directory cannot be read */
    public static NavigableSet<Integer> iterations(Path directory, String task) {
        Pattern name = Pattern.compile(Pattern.quote(prefix(task)) + "(\\d{1,9})\\.checkpoint");
        NavigableSet<Integer> found = new TreeSet<>();
        try (var files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Matcher matcher = name.matcher(file.getFileName().toString());
                if (matcher.matches()) {
                    found.add(Integer.parseInt(matcher.group(1)));
                }
            }
        } catch (IOException e) {
            throw new CheckpointException(directory + " cannot be read: " + e
                    + "; give a directory that is there, for checkpoints", e);
        }
        return found;
    }

    /** What a variable begins with: what it was, where this training goes on from a checkpoint. */
    public Consumer<Tensor> initializer(String variable, Consumer<Tensor> otherwise) {
        return options == null || options.resumeFrom() == 0 ? otherwise : tensor -> restore(variable, tensor);
    }

    private void restore(String variable, Tensor tensor) {
        try (Checkpoint checkpoint = open()) {
            checkpoint.restore(variable, tensor);
        }
    }

    private Checkpoint open() {
        return Checkpoint.open(file(options.directory(), task, options.resumeFrom()));
    }

    /** @throws CheckpointException if this training is to go on from a checkpoint that is damaged, missing, or of another training */
    public void check() {
        if (options != null && options.resumeFrom() > 0) {
            try (Checkpoint checkpoint = open()) {
                checkpoint.requireOf(task, fingerprint);
                checkpoint.check();
            }
        }
    }

    /** Writes one, if it is time. @param done iterations */
    public void write(Session session, Graph graph, int done) {
        if (options == null || done % options.every() != 0) {
            return;
        }
        List<Node> variables = graph.nodes().stream()
                .filter(node -> node.operation() instanceof Variable && node.task().equals(task)).toList();
        List<Tensor> tensors = session.run(Map.of(), variables.stream().map(Node::output).toList(), List.of());
        try {
            Map<String, Tensor> byName = new LinkedHashMap<>();
            for (int i = 0; i < tensors.size(); i++) {
                byName.put(variables.get(i).name(), tensors.get(i));
            }
            CheckpointWriter.write(file(options.directory(), task, done),
                    new CheckpointHeader(task, fingerprint, done, Map.of()), byName);
        } finally {
            tensors.forEach(Tensor::close);
        }
        removeOld();
    }

    private void removeOld() {
        List<Integer> all = new ArrayList<>(iterations(options.directory(), task));
        for (int iteration : all.subList(0, Math.max(0, all.size() - KEPT))) {
            Path file = file(options.directory(), task, iteration);
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new CheckpointException(file + " is old and cannot be removed: " + e, e);
            }
        }
    }
}
