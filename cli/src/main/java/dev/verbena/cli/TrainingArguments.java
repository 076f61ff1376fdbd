package dev.verbena.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.training.DataException;
import dev.verbena.training.Dataset;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingDefaults;
import dev.verbena.training.TrainingOptions;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What to train and over what: the options that {@code train} and {@code task} share, checked as far as one can before a start. */
final class TrainingArguments {
    /** How long to train; one of the two. */
    static final class Length {
        @Option(names = "--epochs", paramLabel = "N",
                description = "Passes over the training images; default " + TrainingDefaults.EPOCHS + ".")
        Integer epochs;
        @Option(names = "--iterations", paramLabel = "N", description = "Mini-batches instead of epochs.")
        Integer iterations;
    }

    @Option(names = "--data", paramLabel = "DIR",
            description = "IDX files as MNIST has them, plain or .gz: a train and a test pair, or one pair, split 80/20 by seed."
                    + " Default: digits drawn by the program.")
    Path data;
    @Option(names = "--model", paramLabel = "NAME", defaultValue = TrainingDefaults.MODEL,
            description = "mlp or fcn5; default ${DEFAULT-VALUE}.")
    String model;
    @Option(names = "--workers", paramLabel = "N",
            description = "Workers, each with its share of the images; default " + TrainingDefaults.WORKERS + ".")
    Integer workers;
    @Option(names = "--servers", paramLabel = "N", defaultValue = "" + TrainingDefaults.SERVERS,
            description = "Parameter servers; default ${DEFAULT-VALUE}.")
    int servers;
    @ArgGroup(exclusive = true)
    Length length = new Length();
    @Option(names = "--batch", paramLabel = "N", defaultValue = "" + TrainingDefaults.BATCH,
            description = "Images of one worker's mini-batch; default ${DEFAULT-VALUE}.")
    int batch;
    @Option(names = "--seed", paramLabel = "N", defaultValue = "" + TrainingDefaults.SEED,
            description = "Seed of weights, order and split; default ${DEFAULT-VALUE}.")
    long seed;
    @Option(names = "--lr", paramLabel = "X", description = "Learning rate; default: what suits the model.")
    Float learningRate;
    @Option(names = "--fabric", paramLabel = "NAME", defaultValue = "auto",
            description = "auto, shm or verbs; default ${DEFAULT-VALUE}.")
    String fabric;
    @Option(names = "--transport", paramLabel = "NAME", defaultValue = "zerocopy",
            description = "zerocopy, or copy: senders copy into a registered buffer each time; default ${DEFAULT-VALUE}.")
    String transport;

    @Mixin
    ProgressArguments progress;

    /** The data, with what can be said of the options alone said first. */
    Dataset load() {
        requirePositive("--workers", workers == null ? TrainingDefaults.WORKERS : workers);
        requirePositive("--servers", servers);
        requirePositive("--batch", batch);
        requirePositive("--epochs", length.epochs == null ? 1 : length.epochs);
        requirePositive("--iterations", length.iterations == null ? 1 : length.iterations);
        progress.check();
        require(learningRate == null || Float.isFinite(learningRate) && learningRate > 0,
                "--lr=" + learningRate + "; give a number above 0");
        require(List.of("zerocopy", "copy").contains(transport),
                "--transport=" + transport + " is unknown; give zerocopy or copy");
        try {
            return data == null ? Dataset.synthetic(seed) : Dataset.load(data, seed);
        } catch (DataException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    /** The name of the fabric that will be used. */
    String selectFabric(NetworkOptions network) {
        try (WaitNotices.Notice _ = WaitNotices.onStandardError().beginAskingDevices()) {
            return Fabrics.select(fabric, network).name();
        } catch (TransferException e) {
            throw new BadInputException("--fabric=" + fabric + ": " + e.getMessage());
        }
    }

    /** The options of a cluster, checked against the data. */
    TrainingOptions options(Dataset dataset) {
        return checked(workers == null ? TrainingDefaults.WORKERS : workers, batch, dataset);
    }

    /** The options of the same training in one process: one worker, with the joined mini-batch of as many as were asked for. */
    TrainingOptions localOptions(Dataset dataset) {
        long joined = (long) batch * (workers == null ? 1 : workers);
        require(joined <= dataset.trainCount(), "--batch=" + batch + " of --workers=" + workers
                + " exceeds the training set of " + dataset.trainCount()
                + " images; give a smaller batch or fewer workers");
        return checked(1, (int) joined, dataset);
    }

    private TrainingOptions checked(int workerCount, int workerBatch, Dataset dataset) {
        try {
            TrainingOptions once = options(workerCount, workerBatch, 1);
            Training.check(once, dataset);
            return options(workerCount, workerBatch, iterations(Training.iterationsPerEpoch(once, dataset)));
        } catch (IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    /** These very options as a child process is to be given them. */
    List<String> toCommandLine(TrainingOptions options) {
        List<String> line = new ArrayList<>(List.of("--model=" + model, "--workers=" + options.workers(),
                "--servers=" + servers, "--iterations=" + options.iterations(), "--batch=" + batch, "--seed=" + seed,
                "--lr=" + options.learningRate(), "--fabric=" + fabric, "--transport=" + transport));
        line.addAll(progress.toCommandLine());
        if (data != null) {
            line.add("--data=" + data.toAbsolutePath());
        }
        return line;
    }

    private TrainingOptions options(int workerCount, int workerBatch, int iterations) {
        float rate = learningRate == null ? TrainingDefaults.learningRate(model) : learningRate;
        return new TrainingOptions(model, workerCount, servers, iterations, workerBatch, seed, rate,
                transport.equals("copy"));
    }

    private int iterations(int perEpoch) {
        if (length.iterations != null) {
            return length.iterations;
        }
        long iterations = (long) perEpoch * (length.epochs == null ? TrainingDefaults.EPOCHS : length.epochs);
        require(iterations <= Integer.MAX_VALUE, "--epochs=" + length.epochs + " is more than 2^31 iterations");
        return (int) iterations;
    }

    private static void requirePositive(String name, int value) {
        require(value > 0, name + "=" + value + "; give 1 or more");
    }

    private static void require(boolean holds, String sentence) {
        if (!holds) {
            throw new BadInputException(sentence);
        }
    }
}
