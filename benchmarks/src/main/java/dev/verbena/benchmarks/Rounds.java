package dev.verbena.benchmarks;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.testing.trace.ShippedTrace;
import dev.verbena.testing.trace.Trace;

/** Everything once per round, subject after subject, so that what else the machine does meanwhile strikes all alike. */
final class Rounds {
    /** The models of the table. */
    static final Set<ShippedTrace> MODELS = EnumSet.range(ShippedTrace.ALEXNET, ShippedTrace.FCN_5);

    /** What a view adds does not depend on the size, nor on the thread. */
    private static final Set<Subject> VIEWS = EnumSet.of(Subject.VERBENA_VIEW, Subject.VERBENA_ENDING_VIEW);

    /** They are not compared: the JDK's zeroes gigabytes, and Netty's others do what its pooled one does. */
    private static final Set<Subject> NOT_FOR_LARGE_RUNS = EnumSet.of(Subject.CONFINED_ARENA, Subject.NETTY_CACHED,
            Subject.NETTY_ADAPTIVE);

    /** Whom several threads share, and what mimalloc is compared with there. */
    private static final Set<Subject> SHARED = EnumSet.of(Subject.VERBENA_ADDRESS, Subject.NETTY_POOLED,
            Subject.NETTY_ADAPTIVE);

    private final Pace pace;
    private final Set<Part> parts;
    private final int processors;
    private final int carriers;
    private final MimallocPeer peer;
    private final List<Subject> subjects;
    private final Consumer<String> progress;
    private final Figures figures = new Figures();

    /** @param carriers that virtual threads run on */
    Rounds(Pace pace, Set<Part> parts, int processors, int carriers, MimallocPeer peer, List<Subject> subjects,
            Consumer<String> progress) {
        this.pace = pace;
        this.parts = parts;
        this.processors = processors;
        this.carriers = carriers;
        this.peer = peer;
        this.subjects = subjects;
        this.progress = progress;
    }

    Figures run() throws IOException, InterruptedException {
        for (int round = 1; round <= pace.rounds(); round++) {
            for (Part part : parts) {
                runOnce(part, "round " + round + " of " + pace.rounds() + ": ");
            }
        }
        if (parts.contains(Part.REGIONS)) {
            regions();
        }
        if (parts.contains(Part.PAIRS)) {
            figures.add(new Key(Measure.HEAP, Targets.RANDOM, Targets.ONE_TENSOR), TensorObject.byteSize());
        }
        return figures;
    }

    private void runOnce(Part part, String label) throws IOException, InterruptedException {
        switch (part) {
            case PAIRS -> pairs(label);
            case HAND_OVER -> handOver(label);
            case LARGE_RUNS -> largeRuns(label);
            case PAUSES -> pauses(label);
            case THREADS -> threads(label);
            case REFUSALS -> refusals(label);
            case VIRTUAL -> virtual(label);
            case REGIONS -> {
            } // not a matter of time: once is enough, behind the rounds
        }
    }

    static String name(ShippedTrace trace) {
        return trace.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private void pairs(String label) throws IOException, InterruptedException {
        progress.accept(label + Measure.PAIR.title);
        addUnlessNaN(new Key(Measure.PAIR, Targets.RANDOM, Targets.MIMALLOC_C),
                peer.run("replace", Workload.randomReplacement()));
        for (Subject subject : subjects) {
            JavaTurn.Outcome outcome = new JavaTurn(pace, RandomReplacement.class, subject).run();
            figures.add(new Key(Measure.PAIR, Targets.RANDOM, subject.label), outcome.median());
            figures.add(new Key(Measure.HEAP, Targets.RANDOM, subject.label), outcome.heapByteSize());
        }
    }

    private void handOver(String label) {
        progress.accept(label + Measure.HAND_OVER.title);
        for (Subject subject : subjects) {
            // A confined arena is confined, and of Netty's allocators the targets name the pooled one.
            if (subject != Subject.CONFINED_ARENA && subject != Subject.NETTY_ADAPTIVE && !VIEWS.contains(subject)) {
                figures.add(new Key(Measure.HAND_OVER, Targets.RANDOM, subject.label),
                        new JavaTurn(pace, HandOver.class, subject).run().median());
            }
        }
    }

    private void largeRuns(String label) throws IOException, InterruptedException {
        for (ShippedTrace trace : MODELS) {
            progress.accept(label + Measure.LARGE_RUNS.title + ", " + name(trace));
            Workload workload = Workload.largeRunsOf(trace);
            addUnlessNaN(new Key(Measure.LARGE_RUNS, name(trace), Targets.MIMALLOC_C), peer.run("replay", workload));
            for (Subject subject : subjects) {
                if (!NOT_FOR_LARGE_RUNS.contains(subject) && !VIEWS.contains(subject)) {
                    figures.add(new Key(Measure.LARGE_RUNS, name(trace), subject.label),
                            new JavaTurn(pace, LargeRuns.class, subject).with(trace).run().median()
                                    / workload.slotCount());
                }
            }
        }
    }

    private void pauses(String label) {
        progress.accept(label + Measure.PAUSE.title);
        for (Subject subject : subjects) {
            pause(subject, new Crowd(Replacement.RANDOM, 1));
            if (SHARED.contains(subject)) {
                pause(subject, new Crowd(Replacement.RANDOM, Crowd.THREADS_FEWER));
            }
        }
    }

    private void pause(Subject subject, Crowd crowd) {
        JavaTurn.Outcome outcome = new JavaTurn(pace, Pauses.class, subject).with(crowd).run();
        figures.add(new Key(Measure.PAUSE, crowd.label(), subject.label), outcome.counter("p9999"));
        figures.add(new Key(Measure.PAUSE_MAX, crowd.label(), subject.label), outcome.counter("max"));
        figures.add(new Key(Measure.NOTHING_PAUSE, crowd.label(), subject.label), outcome.counter("nothingP9999"));
        figures.add(new Key(Measure.NOTHING, crowd.label(), subject.label), outcome.counter("nothingP50"));
    }

    private void threads(String label) throws IOException, InterruptedException {
        for (Replacement replacement : EnumSet.of(Replacement.SMALL, Replacement.LARGE)) {
            for (int threads : Crowd.sizes(processors)) {
                threads(label, new Crowd(replacement, threads));
            }
        }
        if (processors < Crowd.THREADS_MANY) {
            threads(label, new Crowd(Replacement.LARGE_OF_MANY, processors));
        }
    }

    private void threads(String label, Crowd crowd) throws IOException, InterruptedException {
        progress.accept(label + Measure.THREADS.title + ", " + crowd.label());
        addUnlessNaN(new Key(Measure.THREADS, crowd.label(), Targets.MIMALLOC_C),
                peer.pairsByThreads(crowd.replacement().workload(), crowd.threads()));
        for (Subject subject : subjects) {
            if (SHARED.contains(subject)) {
                figures.add(new Key(Measure.THREADS, crowd.label(), subject.label),
                        new JavaTurn(pace, SharedReplacement.class, subject).with(crowd).run().median());
            }
        }
    }

    private void refusals(String label) {
        if (!subjects.contains(Subject.VERBENA_ADDRESS)) {
            return;
        }
        Subject subject = Subject.VERBENA_HOLES;
        for (Companion companion : Companion.ASKING) {
            progress.accept(label + Measure.REFUSAL.title + ", " + companion.label());
            figures.add(new Key(Measure.REFUSAL, companion.label(), subject.label),
                    new JavaTurn(pace, RefusedRequest.class, subject).with(new Crowd(Replacement.SMALL, 1))
                            .with(companion).run().median());
        }
        for (int threads : Companion.CROWDS) {
            for (Companion companion : Companion.values()) {
                progress.accept(label + Measure.BESIDE_REFUSAL.title + ", " + companion.label(threads));
                JavaTurn.Outcome outcome = new JavaTurn(pace, ReplacementBeside.class, subject)
                        .with(new Crowd(Replacement.SMALL, threads)).with(companion).run();
                figures.add(new Key(Measure.BESIDE_REFUSAL, companion.label(threads), subject.label),
                        outcome.median());
                if (!companion.isElsewhere()) {
                    figures.add(new Key(Measure.REFUSAL, companion.label(threads), subject.label),
                            outcome.counter("p50"));
                }
            }
        }
    }

    private void virtual(String label) {
        Subject subject = Subject.VERBENA_ADDRESS;
        if (subjects.contains(subject)) {
            for (ManyThreads.Kind kind : ManyThreads.Kind.values()) {
                progress.accept(label + Measure.VIRTUAL.title + ", " + kind.label());
                figures.add(new Key(Measure.VIRTUAL, kind.label(), subject.label),
                        new JavaTurn(pace, ManyThreads.class, subject).with(kind, carriers).run().median());
            }
        }
    }

    private void regions() {
        for (ShippedTrace which : ShippedTrace.values()) {
            region(name(which));
            region(Regions.nameByWorkers(which));
        }
    }

    private void region(String workload) {
        progress.accept(Measure.REGION.title + ", " + workload);
        Trace trace = Regions.named(workload);
        figures.add(new Key(Measure.REGION, workload, Targets.TENSOR),
                (double) new Regions(trace).smallestByteSize() / trace.livePeakByteSize());
    }

    private void addUnlessNaN(Key key, double value) {
        if (!Double.isNaN(value)) {
            figures.add(key, value);
        }
    }
}
