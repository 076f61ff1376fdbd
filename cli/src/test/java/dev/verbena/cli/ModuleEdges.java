package dev.verbena.cli;

import java.io.File;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Which of our modules depend on which, and which may: the drawing in docs/ARCHITECTURE.md as a table. */
final class ModuleEdges {
    /** The arrow never turns: allocator and bindings know nobody, transfer knows both, graph knows transfer, training and what runs models know graph. */
    static final Map<String, Set<String>> ALLOWED = Map.ofEntries(Map.entry("allocator", Set.of()),
            Map.entry("bindings", Set.of()), Map.entry("transfer", Set.of("allocator", "bindings")),
            Map.entry("graph", Set.of("allocator", "transfer")),
            Map.entry("onnxruntime", Set.of("graph", "onnxruntime.library")),
            Map.entry("onnxruntime.library", Set.of()),
            Map.entry("arrow", Set.of("allocator", "transfer")),
            Map.entry("djl", Set.of("allocator", "transfer")), Map.entry("spark", Set.of("transfer")),
            Map.entry("training", Set.of("graph")), Map.entry("testing", Set.of("transfer", "allocator")),
            Map.entry("pages", Set.of()), Map.entry("site", Set.of("pages")),
            Map.entry("cli", Set.of("training", "onnxruntime", "bindings", "pages")),
            Map.entry("benchmarks",
                    Set.of("bindings", "allocator", "djl", "graph", "onnxruntime", "arrow", "testing", "pages",
                            "training", "cli")),
            Map.entry("stress", Set.of("allocator")), Map.entry("softroce", Set.of()), Map.entry("bom",
                    Set.of("bindings", "allocator", "transfer", "testing", "graph", "onnxruntime",
                            "onnxruntime.library",
                            "arrow", "djl", "spark")));

    private static final String PREFIX = "dev.verbena.";

    private ModuleEdges() {}

    /** Descriptors of our modules on a class path of jars and class folders. */
    static List<ModuleDescriptor> onClassPath(String classPath) {
        Path[] ours = Stream.of(classPath.split(File.pathSeparator)).map(Path::of)
                .filter(entry -> Files.isRegularFile(entry) && entry.getFileName().toString().startsWith("verbena-")
                        || Files.exists(entry.resolve("module-info.class")))
                .toArray(Path[]::new);
        return ModuleFinder.of(ours).findAll().stream().map(ModuleReference::descriptor)
                .filter(descriptor -> !descriptor.isAutomatic() && descriptor.name().startsWith(PREFIX)).toList();
    }

    /** One sentence for each edge that is not allowed. */
    static List<String> violations(List<ModuleDescriptor> modules) {
        List<String> violations = new ArrayList<>();
        for (ModuleDescriptor module : modules) {
            Set<String> required = new TreeSet<>();
            module.requires().stream().map(ModuleDescriptor.Requires::name).filter(name -> name.startsWith(PREFIX))
                    .forEach(name -> required.add(name.substring(PREFIX.length())));
            violations.addAll(violations(module.name().substring(PREFIX.length()), required));
        }
        return violations;
    }

    static List<String> violations(String module, Set<String> required) {
        if (!ALLOWED.containsKey(module)) {
            return List.of("module " + module + " has no place in the drawing");
        }
        return required.stream().filter(name -> !ALLOWED.get(module).contains(name))
                .map(name -> module + " must not depend on " + name).toList();
    }
}
