package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.cli.BadInputException;

/**
 * Sizes in bytes as {@code --sizes} names them:
 *
 * <pre>
 *   8..1G        8, 16, 32 and so on to 1 GiB
 *   8..1G:8      each 8 times the one before
 *   64,4K,100M   these
 * </pre>
 */
final class Sizes {
    private static final Pattern RANGE = Pattern.compile("(.+?)\\.\\.([^:]+)(?::(\\d{1,6}))?");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})([KMG]?)", Pattern.CASE_INSENSITIVE);
    private static final String HINT = "; give a range such as 8..1G or 8..1G:4, or a list such as 64,4K,1M";

    private Sizes() {}

    /** @throws BadInputException where it is none of these, or a size is out of bounds */
    static List<Long> parse(String text, long min, long max) {
        List<Long> sizes = new ArrayList<>();
        Matcher range = RANGE.matcher(text);
        if (range.matches()) {
            long last = size(text, range.group(2), min, max);
            long factor = range.group(3) == null ? 2 : Long.parseLong(range.group(3));
            long first = size(text, range.group(1), min, max);
            require(text, first <= last, first + " is more than " + last);
            require(text, factor >= 2, "a step of " + factor + " leads nowhere");
            for (long size = first; size <= last; size *= factor) {
                sizes.add(size);
            }
        } else {
            for (String each : text.split(",", -1)) {
                sizes.add(size(text, each, min, max));
            }
        }
        return sizes;
    }

    private static long size(String text, String word, long min, long max) {
        Matcher size = SIZE.matcher(word.strip());
        require(text, size.matches(), "'" + word + "' is no size");
        int shift = switch (size.group(2).toUpperCase(Locale.ROOT)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            default -> 0;
        };
        long count = Long.parseLong(size.group(1));
        require(text, count <= Long.MAX_VALUE >> shift, word + " is too large");
        long byteSize = count << shift;
        require(text, byteSize >= min && byteSize <= max, word + " is not in " + min + " to " + max);
        return byteSize;
    }

    private static void require(String text, boolean holds, String what) {
        if (!holds) {
            throw new BadInputException("--sizes=" + text + ": " + what + HINT);
        }
    }
}
