package dev.verbena.benchmarks.step;

import static dev.verbena.benchmarks.Arguments.number;
import static dev.verbena.benchmarks.Arguments.valueOf;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.page.WholeFile;

/**
 * What the arguments say, and nothing is measured if they cannot be followed.
 *
 * <p><b>Owner:</b> {@link StepBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class StepOrder {
    static final String USAGE = "[--quick] [--rounds N] [--models " + StepModel.titles()
            + "] [--workers 1,2,4] [--json FILE] [--report FILE]";
    private static final int WORKERS_MAX = 64;
    /** Where nobody says which: the smallest. */
    private static final List<StepModel> QUICK_MODELS = List.of(StepModel.named("gru"));

    /** Null until somebody says which. */
    private List<StepModel> models;
    private List<Integer> workers = List.of(1, 2, 4);
    private int rounds = 3;
    private boolean isQuick;
    /** Null if they are not wanted. */
    private WholeFile json;
    private WholeFile report;

    /** @throws IllegalArgumentException with a sentence for the user */
    StepOrder(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = number("--rounds", valueOf(arguments, i++), 99);
                case "--models" -> models = models(valueOf(arguments, i++));
                case "--workers" -> workers = Stream.of(valueOf(arguments, i++).split(",", -1))
                        .map(word -> number("--workers", word, WORKERS_MAX)).distinct().sorted().toList();
                case "--json" -> json = WholeFile.check("--json", Path.of(valueOf(arguments, i++)));
                case "--report" -> report = WholeFile.check("--report", Path.of(valueOf(arguments, i++)));
                default -> throw new IllegalArgumentException(
                        "option '" + arguments[i] + "' is unknown: use " + USAGE);
            }
        }
        if (isQuick) {
            rounds = 1;
        }
        if (models == null) {
            models = isQuick ? QUICK_MODELS : StepModel.ALL;
        }
    }

    private static List<StepModel> models(String text) {
        try {
            return Stream.of(text.split(",", -1)).distinct().map(StepModel::named).toList();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--models=" + text + ": " + e.getMessage(), e);
        }
    }

    List<StepCase> cases() {
        return models.stream().flatMap(model -> workers.stream().map(count -> new StepCase(model, count))).toList();
    }

    int rounds() {
        return rounds;
    }

    boolean isQuick() {
        return isQuick;
    }

    WholeFile json() {
        return json;
    }

    WholeFile report() {
        return report;
    }
}
