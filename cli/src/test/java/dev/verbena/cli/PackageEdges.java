package dev.verbena.cli;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which packages of the bindings name which, and which may. Comments may name all. */
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

    private PackageEdges() {}

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
