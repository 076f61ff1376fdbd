package dev.verbena.benchmarks;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.benchmarks.Target.Verdict;
import dev.verbena.testing.trace.ShippedTrace;

/** What is behind each figure that missed its target, in some lines: a profile, or what the arena said. */
final class Explanations {
    private final Pace pace;
    private final Figures figures;

    Explanations(Pace pace, Figures figures) {
        this.pace = pace;
        this.figures = figures;
    }

    /** By figure, not by target: one figure may miss two. */
    Map<Key, List<String>> ofMissed(List<Target> targets) throws IOException {
        Map<Key, List<String>> explanations = new LinkedHashMap<>();
        for (Target target : targets) {
            Key key = target.key();
            if (target.verdict(figures) == Verdict.MISSED && !explanations.containsKey(key)
                    && (!pace.isQuick() || key.measure() == Measure.REGION)) {
                explanations.put(key, explain(key));
            }
        }
        return explanations;
    }

    private List<String> explain(Key key) throws IOException {
        return switch (key.measure()) {
            case PAIR -> Profile.of(turn(RandomReplacement.class, key)).time();
            case HAND_OVER -> Profile.of(turn(HandOver.class, key)).time();
            case LARGE_RUNS -> Profile.of(turn(LargeRuns.class, key).with(traceOf(key))).time();
            case HEAP -> Profile.of(turn(RandomReplacement.class, key)).heap();
            case PAUSE -> explainPause(key);
            case THREADS -> Profile.of(turn(SharedReplacement.class, key).with(Crowd.labelled(key.workload()))).time();
            case REFUSAL, BESIDE_REFUSAL -> explainRefusal(key);
            case REGION -> explainRegion(key);
            default -> List.of();
        };
    }

    /** What the machine does to readings of the clock that last as long, it does to the arena. */
    private List<String> explainPause(Key key) throws IOException {
        double nothingNs = figures.median(new Key(Measure.NOTHING_PAUSE, key.workload(), key.subject()));
        Profile profile = Profile.of(turn(Pauses.class, key).with(Crowd.labelled(key.workload())));
        return Stream.concat(Stream.of(
                String.format(Locale.ROOT, "readings of the clock as long as a pair: p99.99=%.0f ns", nothingNs),
                profile.collections()), profile.time().stream()).toList();
    }

    private List<String> explainRefusal(Key key) throws IOException {
        int threads = Companion.threadsOf(key.workload());
        return Profile.of(turn(threads == 0 ? RefusedRequest.class : ReplacementBeside.class, key)
                .with(new Crowd(Replacement.SMALL, Math.max(1, threads))).with(Companion.labelled(key.workload())))
                .time();
    }

    private static List<String> explainRegion(Key key) {
        Regions regions = new Regions(Regions.named(key.workload()));
        regions.smallestByteSize();
        return List.of(regions.refusal());
    }

    private JavaTurn turn(Class<?> benchmark, Key key) {
        Subject subject = Stream.of(Subject.values()).filter(each -> each.label.equals(key.subject())).findFirst()
                .orElseThrow();
        return new JavaTurn(pace, benchmark, subject);
    }

    private static ShippedTrace traceOf(Key key) {
        return Stream.of(ShippedTrace.values()).filter(trace -> Rounds.name(trace).equals(key.workload())).findFirst()
                .orElseThrow();
    }
}
