package dev.verbena.benchmarks.training;

import static dev.verbena.benchmarks.Arguments.number;
import static dev.verbena.benchmarks.Arguments.valueOf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.page.WholeFile;

/**
 * What the arguments say, and nothing is measured if they cannot be followed.
 *
 * <p><b>Owner:</b> {@link TrainingBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TrainingOrder {
    static final String USAGE = "[--quick] [--rounds N] [--models mlp,cnn,fcn5,lstm] [--workers 1,2] [--text FILE]"
            + " [--json FILE] [--report FILE]";
    private static final int ROUNDS = 3;
    private static final int WORKERS_MAX = 64;
    private static final List<String> WITHOUT_TEXT = List.of("mlp", "cnn", "fcn5");

    private List<String> models;
    private List<Integer> workers = List.of(1, 2);
    private int rounds = ROUNDS;
    private boolean isQuick;
    /** Null for none. */
    private Path text;
    private WholeFile json;
    private WholeFile report;

    /** @throws IllegalArgumentException with a sentence for the user */
    TrainingOrder(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = number("--rounds", valueOf(arguments, i++), 99);
                case "--models" -> models = models(valueOf(arguments, i++));
                case "--workers" -> workers = Stream.of(valueOf(arguments, i++).split(",", -1))
                        .map(word -> number("--workers", word, WORKERS_MAX)).distinct().sorted().toList();
                case "--text" -> text = Path.of(valueOf(arguments, i++));
                case "--json" -> json = WholeFile.check("--json", Path.of(valueOf(arguments, i++)));
                case "--report" -> report = WholeFile.check("--report", Path.of(valueOf(arguments, i++)));
                default -> throw new IllegalArgumentException(
                        "option '" + arguments[i] + "' is unknown: use " + USAGE);
            }
        }
        check();
    }

    private void check() {
        if (text != null && !Files.isReadable(text)) {
            throw new IllegalArgumentException("--text=" + text + " cannot be read; give a text in UTF-8");
        }
        if (models == null) {
            models = text == null ? WITHOUT_TEXT : TrainingCase.models();
        }
        if (models.contains("lstm") && text == null) {
            throw new IllegalArgumentException("--models=" + String.join(",", models)
                    + ": lstm learns from a text; give --text FILE, or leave it out");
        }
        if (isQuick) {
            rounds = 1;
            models = models.subList(0, 1);
        }
    }

    private static List<String> models(String text) {
        List<String> models = Stream.of(text.split(",", -1)).distinct().toList();
        for (String model : models) {
            if (!TrainingCase.models().contains(model)) {
                throw new IllegalArgumentException("--models=" + text + ": '" + model + "' is none of "
                        + String.join(", ", TrainingCase.models()));
            }
        }
        return models;
    }

    List<TrainingCase> cases() {
        return models.stream().flatMap(model -> workers.stream().map(count -> new TrainingCase(model, count)))
                .toList();
    }

    int rounds() {
        return rounds;
    }

    boolean isQuick() {
        return isQuick;
    }

    Path text() {
        return text;
    }

    WholeFile json() {
        return json;
    }

    WholeFile report() {
        return report;
    }
}
