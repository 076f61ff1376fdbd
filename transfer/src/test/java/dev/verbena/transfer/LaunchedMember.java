package dev.verbena.transfer;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * A member of a group that some launcher has started: adds up its rank + 1 with the others', and says the sum. With an argument, the rank of that number
 * ends itself after the first sum; the others say of whom they have heard, and it is the launcher's to end them.
 */
final class LaunchedMember {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private LaunchedMember() {}

    public static void main(String[] arguments) throws InterruptedException {
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        GroupEnvironment environment = GroupEnvironment.of(System.getenv());
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withProgress(Progress.callers());
        try (RdmaDevice device = RdmaDevice.create(environment.deviceOptions(options));
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 26);
                Group group = device.group("launched", environment.rank(), environment.meet(device, PATIENCE), arena,
                        GroupOptions.defaults());
                var sum = arena.allocate(ElementType.FLOAT32, Shape.of(1))) {
            group.join(PATIENCE);
            add(group, sum, environment.rank());
            output.println("rank " + environment.rank() + " of " + environment.size() + ": "
                    + sum.memory().get(ValueLayout.JAVA_FLOAT, 0));
            if (arguments.length > 0) {
                lose(Integer.parseInt(arguments[0]), group, sum, environment.rank(), output);
            }
            group.barrier(PATIENCE);
        }
    }

    private static void add(Group group, Tensor sum, int rank) {
        sum.memory().set(ValueLayout.JAVA_FLOAT, 0, rank + 1);
        group.allReduce(sum, Reduction.SUM, PATIENCE);
    }

    private static void lose(int lost, Group group, Tensor sum, int rank, PrintStream output)
            throws InterruptedException {
        if (rank == lost) {
            Runtime.getRuntime().halt(3);
        }
        try {
            add(group, sum, rank);
        } catch (TransferException e) {
            output.println("rank " + rank + " heard: " + e.getMessage());
            Thread.sleep(PATIENCE);
            Runtime.getRuntime().halt(1);
        }
    }
}
