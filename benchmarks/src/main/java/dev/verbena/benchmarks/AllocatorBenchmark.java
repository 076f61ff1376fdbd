package dev.verbena.benchmarks;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.page.WholeFile;

/**
 * benchmarks/run allocator [--json FILE] [--report FILE] [--quick] [--rounds N] [--parts PART,...] [--carriers N]: the arena beside mimalloc,
 * Netty and the JDK.
 */
final class AllocatorBenchmark {
    private static final int ROUNDS = 5;

    private final PrintStream output;
    /** Null if they are not wanted. */
    private WholeFile json;
    private WholeFile page;
    private boolean isQuick;
    private int rounds = ROUNDS;
    private int carriers = Runtime.getRuntime().availableProcessors();
    private Set<Part> parts = EnumSet.allOf(Part.class);

    AllocatorBenchmark(PrintStream output) {
        this.output = output;
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            String peer = System.getProperty("verbena.allocatorPeer");
            List<Subject> subjects = Subject.compared().stream()
                    .filter(subject -> peer != null || subject != Subject.MIMALLOC_FFM).toList();
            int status = new AllocatorBenchmark(output).run(arguments, peer == null ? null : Path.of(peer), subjects);
            System.exit(status);
        }
    }

    /** The exit status: 0, also if a target is missed; 2 for wrong arguments. */
    int run(String[] arguments, Path peer, List<Subject> subjects) throws IOException, InterruptedException {
        try {
            parse(arguments);
        } catch (IllegalArgumentException e) {
            output.println("benchmarks: " + e.getMessage());
            return 2;
        }
        Pace pace = isQuick ? Pace.quick() : Pace.thorough(rounds);
        MimallocPeer mimalloc = new MimallocPeer(peer, pace);
        int processors = Runtime.getRuntime().availableProcessors();
        Figures figures = new Rounds(pace, parts, processors, carriers, mimalloc, subjects, output::println).run();
        List<Target> targets = Targets.all(processors).stream()
                .filter(target -> parts.contains(target.key().measure().part)).toList();
        Report report = new Report(pace, processors, figures, targets,
                new Explanations(pace, figures).ofMissed(targets),
                Map.of("netty", NettySlots.version(), "mimalloc", mimalloc.version()));
        output.print(report.table());
        if (json != null) {
            json.write(report.json());
        }
        if (page != null) {
            page.write(AllocatorPage.of(report));
        }
        return 0;
    }

    private void parse(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            switch (arguments[i]) {
                case "--quick" -> isQuick = true;
                case "--json" -> json = WholeFile.check("--json", Path.of(valueOf(arguments, i++)));
                case "--report" -> page = WholeFile.check("--report", Path.of(valueOf(arguments, i++)));
                case "--parts" -> parts = checkedParts(valueOf(arguments, i++));
                case "--rounds" -> rounds = checkedCount(arguments, i++);
                case "--carriers" -> carriers = checkedCount(arguments, i++);
                default -> throw new IllegalArgumentException("option '" + arguments[i]
                        + "' is unknown: use [--json FILE] [--report FILE] [--quick] [--rounds N] [--parts PART,...]"
                        + " [--carriers N]");
            }
        }
    }

    private static String valueOf(String[] arguments, int index) {
        if (index + 1 == arguments.length) {
            throw new IllegalArgumentException(arguments[index] + " needs a value behind it");
        }
        return arguments[index + 1];
    }

    private static Set<Part> checkedParts(String text) {
        String known = Stream.of(Part.values()).map(Part::label).collect(Collectors.joining(","));
        Set<Part> parts = EnumSet.noneOf(Part.class);
        for (String label : text.split(",", -1)) {
            parts.add(Stream.of(Part.values()).filter(part -> part.label().equals(label)).findFirst().orElseThrow(
                    () -> new IllegalArgumentException("--parts=" + text + " must be some of " + known)));
        }
        return parts;
    }

    private static int checkedCount(String[] arguments, int index) {
        String text = valueOf(arguments, index);
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException(
                    arguments[index] + "=" + text + " must be a whole number from 1 to 9999");
        }
        return Integer.parseInt(text);
    }
}
