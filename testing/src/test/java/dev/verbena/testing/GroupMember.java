package dev.verbena.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Reduction;
import dev.verbena.transfer.TransferException;

/** A member of a group in a process of its own: does what its standard input says, line by line, and says what has come of it. */
final class GroupMember {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private GroupMember() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader told = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withName("member" + arguments[0])
                .withProgress(Progress.callers());
        try (RdmaDevice device = RdmaDevice.create(options);
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 26)) {
            System.out.println(device.endpoint());
            List<Endpoint> members = Arrays.stream(told.readLine().split(" ")).map(Endpoint::parse).toList();
            try (Group group = device.group("processes", Integer.parseInt(arguments[0]), members, arena,
                    GroupOptions.defaults())) {
                group.join(TIMEOUT);
                for (String line = told.readLine(); line != null; line = told.readLine()) {
                    System.out.println(reduced(group, arena, Long.parseLong(line)));
                }
            } catch (TransferException e) {
                System.out.println("failed: " + e.getMessage());
            }
        }
    }

    /** Of thirds, whose sums are rounded. */
    private static String reduced(Group group, TensorArena arena, long count) {
        try (Tensor tensor = arena.allocate(ElementType.FLOAT32, Shape.of(count))) {
            for (long i = 0; i < count; i++) {
                tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, (group.rank() + 1 + i % 7) / 3f);
            }
            group.allReduce(tensor, Reduction.SUM, TIMEOUT);
            return tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 0) + " "
                    + Arrays.hashCode(tensor.memory().toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
