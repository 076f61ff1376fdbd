package dev.verbena.benchmarks.transfer;

import static dev.verbena.benchmarks.Arguments.number;
import static dev.verbena.benchmarks.Arguments.valueOf;

import java.nio.file.Path;
import java.util.List;

import dev.verbena.page.WholeFile;

/**
 * What the arguments say, and nothing is measured if they cannot be followed.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class TransferOrder {
    static final String USAGE = "[--quick] [--rounds N] [--sizes 64,4K,1M] [--json FILE] [--report FILE]";

    private static final int ROUNDS = 5;

    private List<Long> byteSizes = TransferBenchmark.byteSizes();
    private int rounds = ROUNDS;
    private boolean isQuick;
    /** Null if they are not wanted. */
    private WholeFile json;
    private WholeFile report;

    /** @throws IllegalArgumentException with a sentence for the user */
    TransferOrder(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = number("--rounds", valueOf(arguments, i++), 99);
                case "--sizes" -> byteSizes = TransferBenchmark.parsedByteSizes(valueOf(arguments, i++));
                case "--json" -> json = WholeFile.check("--json", Path.of(valueOf(arguments, i++)));
                case "--report" -> report = WholeFile.check("--report", Path.of(valueOf(arguments, i++)));
                default -> throw new IllegalArgumentException(
                        "option '" + arguments[i] + "' is unknown: use " + USAGE);
            }
        }
        if (isQuick) {
            rounds = 1;
            byteSizes = TransferBenchmark.BYTE_SIZES.subList(0, 4);
        }
    }

    List<Long> byteSizes() {
        return byteSizes;
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
