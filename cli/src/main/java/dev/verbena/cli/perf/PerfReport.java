package dev.verbena.cli.perf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The outcome for people, as perftest prints it, and for programs. */
record PerfReport(PerfOptions options, String fabric, List<Measurement> measurements) {
    private static final String LINE = "-".repeat(87) + "\n";

    static String title(PerfOptions options, String fabric) {
        StringBuilder title = new StringBuilder(LINE).append(" ".repeat(20)).append(options.test().title())
                .append('\n');
        row(title, "Fabric", fabric, "Connection type", "RC");
        row(title, "Number of qps", options.queuePairs(), "TX depth", options.depth(depthCount(options)));
        if (options.test().isBandwidth) {
            row(title, "Post List", options.listSize(), "CQ Moderation", options.signalEvery(depthCount(options)));
        }
        row(title, "Max inline data", options.inlineByteSizeMax() + "[B]", "Warm-up", options.warmUp());
        if (options.test().isSend()) {
            title.append(String.format(" %-16s: %s%n", "RX depth", options.receiveDepth()));
        }
        return title.append(LINE).toString();
    }

    private static long depthCount(PerfOptions options) {
        return options.iterations() == 0 ? Long.MAX_VALUE : options.iterations();
    }

    private static void row(StringBuilder title, String name, Object value, String secondName, Object secondValue) {
        title.append(String.format(" %-16s: %-16s%-16s: %s%n", name, value, secondName, secondValue));
    }

    static String header(PerfOptions options) {
        return options.test().isBandwidth ? BandwidthFigures.header(options.isGigabit()) : LatencyFigures.HEADER;
    }

    String toTable() {
        StringBuilder table = new StringBuilder();
        if (!measurements.isEmpty()) {
            table.append(header(options)).append('\n');
        }
        measurements.forEach(each -> table.append(each.figures().row(options.isGigabit())).append('\n'));
        table.append(LINE);
        if (!measurements.isEmpty()) {
            table.append(" The JIT compiled for ").append(measurements.stream().mapToLong(Measurement::jitMs).sum())
                    .append(" ms of what was measured\n");
        }
        return table.toString();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("test", options.test().toString());
        map.put("role", options.isServer() ? "server" : "client");
        map.put("fabric", fabric);
        map.put("queuePairs", options.queuePairs());
        map.put("txDepth", options.depth(depthCount(options)));
        map.put("postList", options.listSize());
        map.put("cqModeration", options.signalEvery(depthCount(options)));
        map.put("inlineByteSizeMax", options.inlineByteSizeMax());
        map.put("warmUp", options.warmUp());
        if (options.test().isBandwidth) {
            map.put("unit", BandwidthFigures.unit(options.isGigabit()));
        } else {
            map.put("unit", "usec");
        }
        map.put("results", measurements.stream().map(each -> each.toMap(options.isGigabit())).toList());
        return map;
    }
}
