package dev.verbena.stress.soak;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.SlabSource;

/** stress/run soak [--duration 30s|10m|1h] [--seed N] [--threads N] */
final class SoakCommand {
    private final PrintStream output;

    SoakCommand(PrintStream output) {
        this.output = output;
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            OffHeapSlabSource source = new OffHeapSlabSource();
            System.exit(new SoakCommand(output).run(source, source::heldByteSize, arguments));
        }
    }

    /** The exit status: 0; 1 if anything is wrong with an arena; 2 for wrong arguments. */
    int run(SlabSource source, LongSupplier slabByteSize, String... arguments) throws InterruptedException {
        SoakOptions options;
        try {
            options = SoakOptions.parse(arguments);
        } catch (IllegalArgumentException e) {
            output.println("soak: " + e.getMessage());
            return 2;
        }
        output.println("soak " + options);
        try {
            new Soak(options, source, slabByteSize, output::println).run();
            output.println("passed");
            return 0;
        } catch (RuntimeException e) {
            output.println("FAILED seed=" + options.seed() + " " + e.getMessage() + "\nagain: soak " + options);
            e.printStackTrace(output);
            return 1;
        }
    }
}
