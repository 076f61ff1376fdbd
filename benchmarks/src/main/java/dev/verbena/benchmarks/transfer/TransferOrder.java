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
    static final String USAGE = "[--quick] [--rounds N] [--warm-up SECONDS] [--sizes 64,4K,1M] [--fabric NAME]"
            + " [--hosts RECEIVER,SENDER [--ssh COMMAND]] [--json FILE] [--report FILE]";

    private static final int ROUNDS = 5;
    private static final String SSH = "ssh -o BatchMode=yes -o ConnectTimeout=30";

    private List<Long> byteSizes = TransferBenchmark.byteSizes();
    private int rounds = ROUNDS;
    private int warmUpSeconds = 1;
    private boolean isQuick;
    /** Null if they are not wanted, or not said. */
    private WholeFile json;
    private WholeFile report;
    private String hosts;
    private String ssh;
    private String fabric;
    private final Route route;

    /** @throws IllegalArgumentException with a sentence for the user */
    TransferOrder(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--rounds" -> rounds = number("--rounds", valueOf(arguments, i++), 99);
                case "--warm-up" -> warmUpSeconds = number("--warm-up", valueOf(arguments, i++), 99);
                case "--fabric" -> fabric = valueOf(arguments, i++);
                case "--hosts" -> hosts = valueOf(arguments, i++);
                case "--ssh" -> ssh = valueOf(arguments, i++);
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
        route = routeSaid();
    }

    private Route routeSaid() {
        if (hosts == null && ssh != null) {
            throw new IllegalArgumentException("--ssh without --hosts, to which it leads");
        }
        if (ssh != null && ssh.isBlank()) {
            throw new IllegalArgumentException("--ssh is empty; give a command, such as '" + SSH + "'");
        }
        String way = ssh == null ? SSH : ssh;
        return hosts == null ? Route.here(fabric) : Route.between(hosts, List.of(way.strip().split("\\s+")), fabric);
    }

    Route route() {
        return route;
    }

    int warmUpSeconds() {
        return warmUpSeconds;
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
