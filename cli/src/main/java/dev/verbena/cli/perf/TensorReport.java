package dev.verbena.cli.perf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The outcome for people and for programs. */
record TensorReport(TensorOptions options, String fabric, List<TensorFigures> figures) {
    static String title(TensorOptions options, String fabric) {
        return " Tensors, protocol " + names(options) + ", fabric " + fabric + ": at most " + options.iterations()
                + " round trips of a size, window " + options.window()
                + (options.rounds() > 1 ? ", medians of " + options.rounds() + " rounds in turn" : "")
                + ", driven by " + options.progress() + (options.touches() ? ", every byte written and read" : "")
                + "\n one way: half a round trip; usable: after which part of it the first bytes can be read; raw: the fabric's write alone; copy: MemorySegment.copy; handed: the same, taken by another thread;\n first: the first protocol's; CPU: bytes that a CPU moved"
                + " for each tensor\n";
    }

    private static String names(TensorOptions options) {
        return options.protocols().stream().map(TensorProtocol::toString).collect(Collectors.joining(","));
    }

    String toTable() {
        if (figures.isEmpty()) {
            return "";
        }
        StringBuilder table = new StringBuilder(TensorFigures.HEADER).append('\n');
        figures.forEach(each -> table.append(each.row()).append('\n'));
        return table.append(" The JIT compiled for ").append(figures.stream().mapToLong(TensorFigures::jitMs).sum())
                .append(" ms of what was measured; every size was compared byte by byte before and after\n").toString();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("test", "tensor");
        map.put("role", options.isServer() ? "server" : "client");
        map.put("protocol", names(options));
        map.put("fabric", fabric);
        map.put("drivenBy", options.progress().toString());
        map.put("stripes", options.stripes());
        map.put("touch", options.touches());
        map.put("iterations", options.iterations());
        map.put("window", options.window());
        map.put("warmUp", options.warmUp());
        map.put("rounds", options.rounds());
        map.put("results", figures.stream().map(TensorFigures::toMap).toList());
        return map;
    }
}
