package dev.verbena.benchmarks.allreduce;

import static dev.verbena.benchmarks.Arguments.number;
import static dev.verbena.benchmarks.Arguments.valueOf;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.page.WholeFile;

/**
 * What the arguments say, and nothing is measured if they cannot be followed.
 *
 * <p><b>Owner:</b> {@link AllReduceBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class AllReduceOrder {
    static final String USAGE = "[--quick] [--rounds N] [--members 2,4] [--json FILE]";
    private static final int MEMBERS_MAX = 64;
    private static final List<Long> BYTE_SIZES = List.of(64L, 4L << 10, 64L << 10, 1L << 20, 16L << 20, 64L << 20);
    private static final int QUICK_SIZES = 2;

    private List<Integer> members = List.of(2, 4);
    private int rounds = 5;
    private boolean isQuick;
    /** Null if it is not wanted. */
    private WholeFile json;

    /** @throws IllegalArgumentException with a sentence for the user */
    AllReduceOrder(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = number("--rounds", valueOf(arguments, i++), 99);
                case "--members" -> members = Stream.of(valueOf(arguments, i++).split(",", -1)).map(this::members)
                        .distinct().sorted().toList();
                case "--json" -> json = WholeFile.check("--json", Path.of(valueOf(arguments, i++)));
                default -> throw new IllegalArgumentException(
                        "option '" + arguments[i] + "' is unknown: use " + USAGE);
            }
        }
        if (isQuick) {
            rounds = 1;
            members = members.subList(0, 1);
        }
    }

    private int members(String text) {
        int count = number("--members", text, MEMBERS_MAX);
        if (count == 1) {
            throw new IllegalArgumentException("--members=1 has nobody to reduce with; give 2 or more");
        }
        return count;
    }

    List<Integer> members() {
        return members;
    }

    List<Long> byteSizes() {
        return isQuick ? BYTE_SIZES.subList(0, QUICK_SIZES) : BYTE_SIZES;
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
}
