package dev.verbena.cli;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which packages of a module name which, and which may. Comments may name all. */
final class PackageEdges {
    /** The connection manager stands on verbs, and verbs do not know it. */
    private static final Map<String, Set<String>> ALLOWED = Map.of(
            "dev.verbena.verbs.cm", Set.of("dev.verbena.verbs", "dev.verbena.verbs.bridge", "dev.verbena.verbs.ffi",
                    "dev.verbena.verbs.library", "dev.verbena.verbs.abi"),
            "dev.verbena.verbs", Set.of("dev.verbena.verbs.bridge", "dev.verbena.verbs.ffi",
                    "dev.verbena.verbs.library", "dev.verbena.verbs.abi"),
            "dev.verbena.verbs.bridge", Set.of("dev.verbena.verbs", "dev.verbena.verbs.ffi"),
            "dev.verbena.verbs.ffi", Set.of("dev.verbena.verbs.library", "dev.verbena.verbs.abi"),
            "dev.verbena.verbs.library", Set.of());
    /** What anything may throw. */
    private static final String EXCEPTION = "dev.verbena.verbs.VerbsException";

    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    private static final Pattern NAME = Pattern
            .compile("\\bdev\\.verbena\\.verbs(?:\\.(?:abi|bridge|cm|ffi|library)\\b)?+");

    /** Groups and exchanges stand on protocols; protocols are programs of the engine, which knows the fabric's contract alone; fabrics know nobody. */
    private static final Map<String, Set<String>> TRANSFER_ALLOWED = Map.of(
            "dev.verbena.transfer.group",
            Set.of("dev.verbena.transfer.protocol", "dev.verbena.transfer.engine", "dev.verbena.transfer.spi"),
            "dev.verbena.transfer.exchange",
            Set.of("dev.verbena.transfer.protocol", "dev.verbena.transfer.engine", "dev.verbena.transfer.spi"),
            "dev.verbena.transfer.protocol", Set.of("dev.verbena.transfer.engine", "dev.verbena.transfer.spi",
                    "dev.verbena.transfer.counters", "dev.verbena.transfer.events"),
            "dev.verbena.transfer.counters", Set.of(),
            "dev.verbena.transfer.events", Set.of(),
            "dev.verbena.transfer.engine", Set.of("dev.verbena.transfer.spi"),
            "dev.verbena.transfer.fabric", Set.of("dev.verbena.transfer.spi"),
            "dev.verbena.transfer.spi", Set.of());
    private static final Pattern TRANSFER_NAME = Pattern
            .compile("\\bdev\\.verbena\\.transfer\\.(?:counters|engine|events|exchange|fabric|group|protocol|spi)\\b");

    private PackageEdges() {}

    /** As {@link #violations}, of the transfer module; users' package may name all. */
    static List<String> transferViolations(String file, String text) {
        Matcher own = PACKAGE.matcher(text);
        Matcher room = TRANSFER_NAME.matcher(own.find() ? own.group(1) : "");
        if (!room.find()) {
            return List.of();
        }
        Set<String> named = new TreeSet<>();
        TRANSFER_NAME.matcher(SourceRules.withoutComments(text)).results().map(MatchResult::group).forEach(named::add);
        named.remove(room.group());
        named.removeAll(TRANSFER_ALLOWED.get(room.group()));
        return named.stream().map(other -> file + ": " + room.group() + " must not name " + other).toList();
    }

    /** One sentence for each edge that is not allowed. */
    static List<String> violations(String file, String text) {
        Matcher own = PACKAGE.matcher(text);
        if (!own.find() || !ALLOWED.containsKey(own.group(1))) {
            return List.of(file + " is in no package that has a place in the drawing");
        }
        Set<String> named = new TreeSet<>();
        NAME.matcher(SourceRules.withoutComments(text).replace(EXCEPTION, "")).results().map(MatchResult::group)
                .forEach(named::add);
        named.remove(own.group(1));
        named.removeAll(ALLOWED.get(own.group(1)));
        return named.stream().map(other -> file + ": " + own.group(1) + " must not name " + other).toList();
    }
}
