package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;

/** Members that know their rank and where rank 0 is, in threads of one process. */
@Timeout(120)
class GroupEnvironmentTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Within which threads that were started together have met, on a busy machine too. */
    private static final Duration LATE = Duration.ofSeconds(3);

    @Test
    void membersMeetAtRankZeroAndReduce() throws Exception {
        meetAndReduce(Progress.pollers());
    }

    @Test
    void whereCallersDriveToo() throws Exception {
        meetAndReduce(Progress.callers());
    }

    private static void meetAndReduce(Progress progress) throws Exception {
        int port = freePort();
        List<CompletableFuture<Float>> members = new ArrayList<>();
        for (int rank = 2; rank >= 0; rank--) { // rank 0 is the last to come
            GroupEnvironment environment = environment(rank, 3, port);
            members.add(CompletableFuture.supplyAsync(() -> {
                RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withProgress(progress);
                try (RdmaDevice device = RdmaDevice.create(environment.deviceOptions(options));
                        TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 26);
                        Group group = device.group("met", environment.rank(), environment.meet(device, PATIENCE),
                                arena, GroupOptions.defaults());
                        var tensor = arena.allocate(ElementType.FLOAT32, Shape.of(1))) {
                    group.join(PATIENCE);
                    tensor.memory().set(ValueLayout.JAVA_FLOAT, 0, 1 << environment.rank());
                    group.allReduce(tensor, Reduction.SUM, PATIENCE);
                    group.barrier(PATIENCE);
                    return tensor.memory().get(ValueLayout.JAVA_FLOAT, 0);
                }
            }, task -> Thread.ofPlatform().start(task)));
            Thread.sleep(rank == 1 ? 200 : 0);
        }
        for (CompletableFuture<Float> member : members) {
            assertEquals(7, member.get());
        }
    }

    @Test
    void whoIsMissingIsSaidByAllWhoWait() throws Exception {
        int port = freePort();
        CompletableFuture<String> guest = failure(environment(1, 4, port), LATE);
        CompletableFuture<String> host = failure(environment(0, 4, port), LATE.plusSeconds(1));
        assertEquals("rank 1 of 4, rank 0 at localhost:" + port + " has waited PT3S for ranks [2, 3]", guest.get());
        assertEquals("ranks [2, 3] of 4 at localhost:" + port + " have not come within PT4S; start them with the same"
                + " MASTER_ADDR, MASTER_PORT and WORLD_SIZE", host.get());
    }

    @Test
    void thatRankZeroIsMissingIsSaid() throws Exception {
        int port = freePort();
        assertEquals("rank 1 of 2, rank 0 at localhost:" + port + " has waited PT1S for rank 0 at localhost:" + port
                + ", which has not answered", failure(environment(1, 2, port), Duration.ofSeconds(1)).get());
    }

    @Test
    void twoOfOneRankOrOfAnotherSizeAreRefused() throws Exception {
        int port = freePort();
        CompletableFuture<String> host = failure(environment(0, 3, port), LATE);
        CompletableFuture<String> first = failure(environment(1, 3, port), LATE);
        String another = failure(environment(2, 5, port), PATIENCE).get();
        assertTrue(another.endsWith("is refused: WORLD_SIZE=5 there, but 3 at rank 0"), another);
        Thread.sleep(1000);
        String second = failure(environment(1, 3, port), LATE).get();
        assertTrue(second.matches(".* is refused: rank 1 is at 127.0.0.1:\\d+ already; each has a RANK of its own"),
                second);
        assertTrue(first.get().contains("[2]") && host.get().contains("[2]"), first.get() + host.get());
    }

    @Test
    void aGroupOfOneMeetsNobody() {
        GroupEnvironment alone = GroupEnvironment.of(Map.of());
        assertEquals(1, alone.size());
        try (RdmaDevice device = RdmaDevice
                .create(alone.deviceOptions(RdmaDeviceOptions.defaults().withFabric("shm")))) {
            assertEquals(List.of(device.endpoint()), alone.meet(device, Duration.ZERO));
        }
    }

    @Test
    void whatIsMissingOrWrongIsNamed() {
        Map<String, String> right = Map.of("RANK", "1", "WORLD_SIZE", "2", "MASTER_ADDR", "localhost", "MASTER_PORT",
                "29500");
        assertEquals(new GroupEnvironment(1, 2, new Endpoint("localhost", 29_500)), GroupEnvironment.of(right));
        assertEquals("environment variable RANK=2; give a number from 0 to 1", complaint(right, "RANK", "2"));
        assertEquals("environment variable WORLD_SIZE=two; give a number from 1 to 2147483647",
                complaint(right, "WORLD_SIZE", "two"));
        assertEquals("environment variable MASTER_PORT=0; give a number from 1 to 65535",
                complaint(right, "MASTER_PORT", "0"));
        assertEquals(
                "environment variables MASTER_ADDR are not set, but others of the group are; set all four, as"
                        + " 'verbena launch' does, or none",
                complaint(right, "MASTER_ADDR", " "));
        GroupEnvironment nowhere = new GroupEnvironment(1, 2, new Endpoint("nowhere.invalid", 1));
        assertTrue(assertThrows(IllegalArgumentException.class,
                () -> nowhere.deviceOptions(RdmaDeviceOptions.defaults())).getMessage()
                .contains("MASTER_ADDR=nowhere.invalid, is not known here"));
        assertThrows(IllegalArgumentException.class, () -> new GroupEnvironment(0, 2, new Endpoint("localhost", 0)));
        assertThrows(IllegalArgumentException.class, () -> new GroupEnvironment(2, 2, new Endpoint("localhost", 1)));
    }

    private static String complaint(Map<String, String> right, String name, String value) {
        Map<String, String> wrong = new HashMap<>(right);
        wrong.put(name, value);
        return assertThrows(IllegalArgumentException.class, () -> GroupEnvironment.of(wrong)).getMessage();
    }

    private static GroupEnvironment environment(int rank, int size, int port) {
        return new GroupEnvironment(rank, size, new Endpoint("localhost", port));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** What meeting ends with. */
    private static CompletableFuture<String> failure(GroupEnvironment environment, Duration timeout) {
        return CompletableFuture.supplyAsync(() -> {
            try (RdmaDevice device = RdmaDevice
                    .create(environment.deviceOptions(RdmaDeviceOptions.defaults().withFabric("shm")))) {
                return assertThrows(TransferException.class, () -> environment.meet(device, timeout)).getMessage();
            }
        }, task -> Thread.ofPlatform().start(task));
    }
}
