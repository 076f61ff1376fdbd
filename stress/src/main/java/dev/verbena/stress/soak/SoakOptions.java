package dev.verbena.stress.soak;

import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** For how long, from which seed, and how many threads at a time. */
record SoakOptions(long durationNs, long seed, int threads) {
    private static final Pattern DURATION = Pattern.compile("([1-9][0-9]{0,5})(s|m|h)");
    private static final long DURATION_S = 30;
    private static final int THREADS_MIN = 4;

    static SoakOptions parse(String... arguments) {
        long durationNs = TimeUnit.SECONDS.toNanos(DURATION_S);
        long seed = System.nanoTime();
        int threads = Math.max(THREADS_MIN, Runtime.getRuntime().availableProcessors());
        for (int i = 0; i < arguments.length; i += 2) {
            String option = arguments[i];
            switch (option) {
                case "--duration" -> durationNs = durationNs(valueOf(arguments, i));
                case "--seed" -> seed = number(option, valueOf(arguments, i), Long.MIN_VALUE, Long.MAX_VALUE);
                case "--threads" -> threads = (int) number(option, valueOf(arguments, i), 1, 1000);
                default -> throw new IllegalArgumentException("option '" + option
                        + "' is unknown: use [--duration 30s|10m|1h] [--seed N] [--threads N]");
            }
        }
        return new SoakOptions(durationNs, seed, threads);
    }

    private static String valueOf(String[] arguments, int index) {
        if (index + 1 == arguments.length) {
            throw new IllegalArgumentException(arguments[index] + " needs a value behind it");
        }
        return arguments[index + 1];
    }

    private static long durationNs(String text) {
        Matcher duration = DURATION.matcher(text);
        if (!duration.matches()) {
            throw new IllegalArgumentException("--duration=" + text + " must be a number of s, m or h, such as 10m");
        }
        long value = Long.parseLong(duration.group(1));
        return switch (duration.group(2)) {
            case "s" -> TimeUnit.SECONDS.toNanos(value);
            case "m" -> TimeUnit.MINUTES.toNanos(value);
            default -> TimeUnit.HOURS.toNanos(value);
        };
    }

    private static long number(String option, String text, long min, long max) {
        try {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException _) {
            // The same message as for a number out of bounds.
        }
        throw new IllegalArgumentException(option + "=" + text + " must be a whole number from " + min + " to " + max);
    }

    /** What makes the same run again, as far as the threads' timing does. */
    @Override
    public String toString() {
        return "--duration " + TimeUnit.NANOSECONDS.toSeconds(durationNs) + "s --seed " + seed + " --threads "
                + threads;
    }
}
