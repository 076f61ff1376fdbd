package dev.verbena.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line that starts this very program again, with the same Java and class path, as a task.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class JavaCommand {
    /** Set by the {@code ./verbena} script: the class-data-sharing archive that makes a start quick. */
    private static final String ARCHIVE = System.getProperty("verbena.archive", "");

    /**
     * Ctrl-C goes to every process of a terminal. Tasks must not see it: the launcher alone decides what it means, and ends them.
     * A signal ignored at exec stays ignored, also in a JVM.
     */
    private static final List<String> DEAF_TO_INTERRUPTS = List.of("/bin/sh", "-c", "trap '' INT; exec \"$@\"",
            "verbena");

    /** Tensors are not on the heap; what is there is the images, as bytes or floats, and little else. */
    private static final String HEAP_MAX = "-Xmx400m";

    /**
     * Ten times what HotSpot has: a task computes in BLAS and starts with most of its methods cold, so that C2 takes from a core that trains, for
     * seconds, what few of them give back (docs/adr/0021).
     */
    private static final List<String> OPTIMIZED_LATE = List.of("-XX:Tier4InvocationThreshold=50000",
            "-XX:Tier4MinInvocationThreshold=20000", "-XX:Tier4CompileThreshold=100000",
            "-XX:Tier4BackEdgeThreshold=200000");
    /**
     * Five times, and who calls a method waits for the compiler: on one processor, compiling in the background takes turns with the slow code that it is to
     * replace.
     */
    private static final List<String> OPTIMIZED_ON_ONE_PROCESSOR = List.of("-XX:-BackgroundCompilation",
            "-XX:Tier4InvocationThreshold=25000", "-XX:Tier4MinInvocationThreshold=3000",
            "-XX:Tier4CompileThreshold=75000", "-XX:Tier4BackEdgeThreshold=200000");

    private static final int FIRST_TO_WARN = 23;
    private static final String SILENCE = "--sun-misc-unsafe-memory-access=allow";

    private JavaCommand() {}

    /** @param arguments of the program */
    public static List<String> of(List<String> arguments) {
        return of(List.of(HEAP_MAX), arguments);
    }

    /** The same where messages of gRPC are on the heap, and beside it by a means that newer JVMs warn of. */
    public static List<String> withGrpc(List<String> arguments) {
        return of(Runtime.version().feature() >= FIRST_TO_WARN ? List.of(SILENCE) : List.of(), arguments);
    }

    private static List<String> of(List<String> options, List<String> arguments) {
        List<String> command = new ArrayList<>(DEAF_TO_INTERRUPTS);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData",
                "-Xshare:auto"));
        command.addAll(optimized(Runtime.getRuntime().availableProcessors()));
        command.addAll(options);
        if (!ARCHIVE.isEmpty()) {
            command.addAll(List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:cds=off", "-Xlog:cds+dynamic=off",
                    "-Dverbena.archive=" + ARCHIVE));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Verbena.class.getName()));
        command.addAll(arguments);
        return command;
    }

    /** Of a task that shares so many processors with others. */
    static List<String> optimized(int processors) {
        return processors == 1 ? OPTIMIZED_ON_ONE_PROCESSOR : OPTIMIZED_LATE;
    }
}
