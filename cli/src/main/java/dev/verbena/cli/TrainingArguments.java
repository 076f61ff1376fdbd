package dev.verbena.cli;

import static dev.verbena.cli.BadInputException.require;
import static dev.verbena.cli.BadInputException.requirePositive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.page.FileTrouble;
import dev.verbena.training.CheckpointException;
import dev.verbena.training.CheckpointOptions;
import dev.verbena.training.DataException;
import dev.verbena.training.DataFacts;
import dev.verbena.training.Dataset;
import dev.verbena.training.Optimizer;
import dev.verbena.training.TextCorpus;
import dev.verbena.training.TextOptions;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingData;
import dev.verbena.training.TrainingDefaults;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.model.Model;
import dev.verbena.transfer.NetworkOptions;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to train and over what: the options that {@code train} and {@code task} share, checked as far as one can before a start. */
final class TrainingArguments {
    private static final String ZERO_COPY = "zerocopy";
    private static final String COPY = "copy";
    private static final String GRPC = "grpc";

    /** What carries tensors. */
    static final class Transports extends Candidates {
        @Override
        protected List<String> words() {
            return List.of(ZERO_COPY, COPY, GRPC);
        }
    }

    /** What can be trained. */
    static final class Models extends Candidates {
        @Override
        protected List<String> words() {
            return Model.ALL.stream().map(Model::title).toList();
        }
    }

    /** How variables can be changed. */
    static final class Optimizers extends Candidates {
        @Override
        protected List<String> words() {
            return Stream.of(Optimizer.values()).map(Optimizer::title).toList();
        }
    }

    /** How long to train; one of the two. */
    static final class Length {
        @Option(names = "--epochs", paramLabel = "N",
                description = "Passes over the training images, or sequences; default " + TrainingDefaults.EPOCHS + ".")
        Integer epochs;
        @Option(names = "--iterations", paramLabel = "N", description = "Mini-batches instead of epochs.")
        Integer iterations;
    }

    /** Whether to go on from checkpoints; one of the two. */
    static final class Resuming {
        @Option(names = "--resume",
                description = "Go on from the last checkpoint in --checkpoint that all tasks have, from the beginning if there is none.")
        boolean fromLast;
        @Option(names = "--resume-from", paramLabel = "N",
                description = "Go on from the checkpoint of this iteration; for tasks that cannot see each other's directory.")
        Integer from;
    }

    @Option(names = "--data", paramLabel = "PATH",
            description = "A directory with IDX files as MNIST has them, plain or .gz: a train and a test pair, or one pair, split 80/20 by"
                    + " seed. For lstm and gru a text, UTF-8, whose last tenth is held out. Default: digits, or for alexnet, vgg16 and inception3 larger images,"
                    + " drawn by the program.")
    Path data;
    @Option(names = "--model", paramLabel = "NAME", defaultValue = TrainingDefaults.MODEL,
            completionCandidates = Models.class,
            description = "For images mlp, fcn5, cnn, alexnet, vgg16 or inception3, for a text lstm or gru; default ${DEFAULT-VALUE}.")
    String model;
    @Option(names = "--workers", paramLabel = "N",
            description = "Workers, each with its share of the images or sequences; default " + TrainingDefaults.WORKERS
                    + ".")
    Integer workers;
    @Option(names = "--servers", paramLabel = "N", defaultValue = "" + TrainingDefaults.SERVERS,
            description = "Parameter servers; default ${DEFAULT-VALUE}.")
    int servers;
    @ArgGroup(exclusive = true)
    Length length = new Length();
    @Option(names = "--batch", paramLabel = "N", defaultValue = "" + TrainingDefaults.BATCH,
            description = "Images or sequences of one worker's mini-batch; default ${DEFAULT-VALUE}.")
    int batch;
    @Option(names = "--seed", paramLabel = "N", defaultValue = "" + TrainingDefaults.SEED,
            description = "Seed of weights, order and split; default ${DEFAULT-VALUE}.")
    long seed;
    @Option(names = "--optimizer", paramLabel = "NAME", completionCandidates = Optimizers.class,
            description = "${COMPLETION-CANDIDATES}; default: what suits the model.")
    String optimizer;
    @Option(names = "--lr", paramLabel = "X", description = "Learning rate; default: what suits model and optimizer.")
    Float learningRate;
    @Mixin
    FabricOption fabric;
    @Option(names = "--transport", paramLabel = "NAME", defaultValue = ZERO_COPY,
            completionCandidates = Transports.class,
            description = "zerocopy; copy: senders copy into a registered buffer each time; or grpc: tensors go as messages of gRPC over TCP, as"
                    + " TensorFlow's do; default ${DEFAULT-VALUE}.")
    String transport;

    @Option(names = "--timeout", paramLabel = "S", defaultValue = "" + TrainingDefaults.TIMEOUT_SECONDS,
            description = "Longest wait of a task for another, in seconds, at set-up and within an iteration; default ${DEFAULT-VALUE}.")
    int timeoutSeconds;

    @Option(names = "--checkpoint", paramLabel = "DIR",
            description = "Write checkpoints there, two of each task that has variables; the directory is made if it is missing.")
    Path checkpoint;
    @Option(names = "--checkpoint-every", paramLabel = "N",
            description = "Iterations between two checkpoints; default: an epoch's.")
    Integer checkpointEvery;
    @ArgGroup(exclusive = true)
    Resuming resuming = new Resuming();

    @Option(names = "--trace", paramLabel = "DIR",
            description = "Keep there what the tracer of each task has learned, and begin with what is there of this model in such a cluster: no"
                    + " sender copies then, from the first iteration on. The directory is made if it is missing.")
    Path traces;
    @Option(names = "--validate-every", paramLabel = "N",
            description = "Measure what is held out behind each N epochs, too; default: only at the end.")
    Integer validateEvery;
    @Option(names = "--blas-threads", paramLabel = "N", defaultValue = "" + TrainingDefaults.BLAS_THREADS,
            description = "Threads of OpenBLAS in each process; default ${DEFAULT-VALUE}. Losses are the same to the last bit with the same number.")
    int blasThreads;

    @Mixin
    ProgressArguments progress;

    /** The data, with what can be said of the options alone said first. */
    TrainingData load() {
        check();
        try {
            if (data == null) {
                return TrainingDefaults.data(model, seed);
            }
            return Files.isRegularFile(data)
                    ? TextCorpus.load(data, TextOptions.defaults())
                    : Dataset.load(data, seed);
        } catch (DataException | IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    /** What a server has in place of data: of the data only what it must know. */
    TrainingData facts(String text) {
        check();
        require(data == null, "--data-facts and --data; give one of the two");
        try {
            return DataFacts.parse(text);
        } catch (IllegalArgumentException e) {
            throw new BadInputException("--data-facts: " + e.getMessage());
        }
    }

    private void check() {
        requirePositive("--workers", workers == null ? TrainingDefaults.WORKERS : workers);
        requirePositive("--servers", servers);
        requirePositive("--batch", batch);
        requirePositive("--timeout", timeoutSeconds);
        requirePositive("--epochs", length.epochs == null ? 1 : length.epochs);
        requirePositive("--iterations", length.iterations == null ? 1 : length.iterations);
        requirePositive("--checkpoint-every", checkpointEvery == null ? 1 : checkpointEvery);
        requirePositive("--resume-from", resuming.from == null ? 1 : resuming.from);
        require(checkpoint != null || checkpointEvery == null && !resuming.fromLast && resuming.from == null,
                "--checkpoint-every, --resume and --resume-from need to know where; give --checkpoint=DIR too");
        requirePositive("--validate-every", validateEvery == null ? 1 : validateEvery);
        requirePositive("--blas-threads", blasThreads);
        require(traces == null || transport.equals(ZERO_COPY),
                "--trace with --transport=" + transport
                        + ": nothing is learned where senders copy; leave one of the two out");
        progress.check();
        require(learningRate == null || Float.isFinite(learningRate) && learningRate > 0,
                "--lr=" + learningRate + "; give a number above 0");
        new Transports().require("--transport", transport);
    }

    /** Whether tensors go as messages of gRPC, and not by the fabric. */
    boolean carriesByGrpc() {
        return transport.equals(GRPC);
    }

    /** The options of a cluster, checked against the data. */
    TrainingOptions options(TrainingData dataset) {
        return checked(workers == null ? TrainingDefaults.WORKERS : workers, batch, dataset, false);
    }

    /** The options of the same training in one process: one worker, with the joined mini-batch of as many as were asked for. */
    TrainingOptions localOptions(TrainingData dataset) {
        long joined = (long) batch * (workers == null ? 1 : workers);
        require(joined <= dataset.trainCount(), "--batch=" + batch + " of --workers=" + workers
                + " exceeds the training set of " + dataset.trainCount()
                + " examples; give a smaller batch or fewer workers");
        return checked(1, (int) joined, dataset, true);
    }

    private TrainingOptions checked(int workerCount, int workerBatch, TrainingData dataset, boolean isLocal) {
        try {
            TrainingOptions once = options(workerCount, workerBatch, 1);
            Training.check(once, dataset);
            int perEpoch = Training.iterationsPerEpoch(once, dataset);
            TrainingOptions options = options(workerCount, workerBatch, iterations(perEpoch))
                    .withCheckpoints(checkpoints(once, perEpoch, isLocal));
            Training.check(options, dataset);
            return options;
        } catch (IllegalArgumentException | CheckpointException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    /** Null for none. */
    private CheckpointOptions checkpoints(TrainingOptions options, int perEpoch, boolean isLocal) {
        if (checkpoint == null) {
            return null;
        }
        try {
            Files.createDirectories(checkpoint);
        } catch (IOException e) {
            throw new BadInputException("--checkpoint=" + checkpoint + " cannot be made: " + FileTrouble.of(e)
                    + "; give a directory that is there, or that can be made");
        }
        int from = resuming.from != null
                ? resuming.from
                : resuming.fromLast
                        ? Training.lastCheckpoint(checkpoint, Training.tasksWithVariables(options, isLocal))
                        : 0;
        return new CheckpointOptions(checkpoint, checkpointEvery == null ? perEpoch : checkpointEvery, from);
    }

    /**
     * These very options as a child process is to be given them.
     *
     * @param facts of the data, for a task that needs no more; null for one that needs the data
     */
    List<String> toCommandLine(TrainingOptions options, DataFacts facts) {
        List<String> line = new ArrayList<>(List.of("--model=" + model, "--workers=" + options.workers(),
                "--servers=" + servers, "--iterations=" + options.iterations(), "--batch=" + batch, "--seed=" + seed,
                "--lr=" + options.learningRate(), "--fabric=" + fabric.name(), "--transport=" + transport,
                "--timeout=" + timeoutSeconds, "--optimizer=" + options.optimizer().title(),
                "--blas-threads=" + blasThreads));
        line.addAll(progress.toCommandLine());
        CheckpointOptions checkpoints = options.checkpoints();
        if (checkpoints != null) {
            line.addAll(List.of("--checkpoint=" + checkpoints.directory().toAbsolutePath(),
                    "--checkpoint-every=" + checkpoints.every()));
            if (checkpoints.resumeFrom() > 0) {
                line.add("--resume-from=" + checkpoints.resumeFrom());
            }
        }
        if (options.traces() != null) {
            line.add("--trace=" + options.traces());
        }
        if (validateEvery != null) {
            line.add("--validate-every=" + validateEvery);
        }
        if (facts != null) {
            line.add("--data-facts=" + facts);
        } else if (data != null) {
            line.add("--data=" + data.toAbsolutePath());
        }
        return line;
    }

    private TrainingOptions options(int workerCount, int workerBatch, int iterations) {
        Optimizer chosen = optimizer == null ? TrainingDefaults.optimizer(model) : Optimizer.named(optimizer);
        float rate = learningRate == null ? TrainingDefaults.learningRate(model, chosen) : learningRate;
        return new TrainingOptions(model, workerCount, servers, iterations, workerBatch, seed, rate,
                transport.equals(COPY), Duration.ofSeconds(timeoutSeconds),
                chosen, null, traces(), validateEvery == null ? 0 : validateEvery, blasThreads);
    }

    /** Null for none. */
    private Path traces() {
        if (traces == null) {
            return null;
        }
        Path directory = traces.toAbsolutePath();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new BadInputException("--trace=" + traces + " cannot be made: " + FileTrouble.of(e)
                    + "; give a directory that is there, or that can be made");
        }
        require(Files.isWritable(directory), "--trace=" + traces + " cannot be written to; give a directory that can");
        return directory;
    }

    private int iterations(int perEpoch) {
        if (length.iterations != null) {
            return length.iterations;
        }
        long iterations = (long) perEpoch * (length.epochs == null ? TrainingDefaults.EPOCHS : length.epochs);
        require(iterations <= Integer.MAX_VALUE, "--epochs=" + length.epochs + " is more than 2^31 iterations");
        return (int) iterations;
    }
}
