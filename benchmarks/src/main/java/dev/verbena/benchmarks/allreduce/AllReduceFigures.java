package dev.verbena.benchmarks.allreduce;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.Machine;
import dev.verbena.benchmarks.report.Spread;

/**
 * Microseconds of all-reduces, in the order of the rounds.
 *
 * <p><b>Owner:</b> {@link AllReduceBenchmark}. <b>Threading:</b> confined to its thread.
 */
final class AllReduceFigures {
    private record Case(int members, long byteSize) {}

    private record Times(List<Double> verbena, List<Double> gloo) {}

    private final Map<Case, Times> times = new LinkedHashMap<>();
    private final String torch;

    /** @param torch the version of PyTorch; null where there is none, and nothing to compare with */
    AllReduceFigures(String torch) {
        this.torch = torch;
    }

    void addVerbena(int members, Map<Long, Double> micros) {
        micros.forEach((byteSize, each) -> times(members, byteSize).verbena.add(each));
    }

    void addGloo(int members, Map<Long, Double> micros) {
        micros.forEach((byteSize, each) -> times(members, byteSize).gloo.add(each));
    }

    private Times times(int members, long byteSize) {
        return times.computeIfAbsent(new Case(members, byteSize), _ -> new Times(new ArrayList<>(), new ArrayList<>()));
    }

    /** How many times as long Gloo's take; of the same round. All NaN where there is no Gloo. */
    Spread timesFaster(int members, long byteSize) {
        Times of = times.get(new Case(members, byteSize));
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < of.gloo.size(); i++) {
            ratios.add(of.gloo.get(i) / of.verbena.get(i));
        }
        return Spread.of(ratios);
    }

    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(Locale.ROOT, "%-24s%12s%12s%16s", "us an all-reduce", "Verbena", "Gloo",
                "Gloo / Verbena"));
        times.forEach((each, of) -> {
            String head = String.format(Locale.ROOT, "%d members, %,d B", each.members, each.byteSize);
            String line = String.format(Locale.ROOT, "%-24s%,12.2f", head, Spread.median(of.verbena));
            Spread ratio = timesFaster(each.members, each.byteSize);
            lines.add(torch == null ? line
                    : line + String.format(Locale.ROOT, "%,12.2f%8.1f ±%3.0f %%", Spread.median(of.gloo),
                            ratio.median(), 50 * ratio.apart()));
        });
        lines.add(torch == null
                ? "Gloo is not measured: python3 has no PyTorch with it; apt-get install python3-torch."
                : "Gloo: of PyTorch " + torch + ", over loopback.");
        return lines;
    }

    /** All runs, and the machine. */
    String json() throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        times.forEach((each, of) -> {
            Map<String, Object> figure = new LinkedHashMap<>();
            figure.put("members", each.members);
            figure.put("byteSize", each.byteSize);
            figure.put("verbenaMicros", of.verbena);
            figure.put("glooMicros", of.gloo);
            all.add(figure);
        });
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("machine", Machine.toMap());
        json.put("versions", torch == null ? Map.of() : Map.of("torch", torch));
        json.put("figures", all);
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(json);
    }
}
