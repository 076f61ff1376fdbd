package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * One process that lives, and many that talk to it and are killed whatever they do: it is told of each, gets whole tensors only, and holds
 * nothing of them afterwards. More than some with {@code -Dverbena.kills=1000}.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ShmKillTest {
    private static final int KILLS = Integer.getInteger("verbena.kills", 14);
    private static final int SIDE_BY_SIDE = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 4);
    private static final int KILLED = 137;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Map<String, Endpoint> met = new ConcurrentHashMap<>();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    private RdmaDevice device;
    private TensorArena arena;

    @Test
    void whoeverIsKilledWheneverIsMissedAndLeavesNothing() throws Exception {
        long seed = Long.getLong("verbena.seed", System.nanoTime());
        System.out.println("ShmKillTest seed=" + seed + " (repeat with -Dverbena.seed)");
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName("survivor"));
        device.onPeerLost(lost::add);
        device.handle("echo", (peer, request) -> request);
        device.handle("meet", (peer, request) -> {
            String[] words = new String(request, StandardCharsets.UTF_8).split(" ");
            met.put(words[0], new Endpoint("127.0.0.1", Integer.parseInt(words[1])));
            return new byte[0];
        });
        arena = TensorArena.create(device.slabSource(), 64 << 20, 64 << 20);
        DyingPeer.Work[] works = DyingPeer.Work.values();
        // Opens what stays open, and grows what stays grown.
        new Round(-1, DyingPeer.Work.RECEIVING, seed).call();
        new Round(-2, DyingPeer.Work.SENDING_LARGE, seed).call();
        LeakCheck leaks = LeakCheck.begin(Path.of("/dev/shm"));
        Set<String> threads = threads();
        Random random = new Random(seed);
        List<Round> rounds = new ArrayList<>();
        for (int i = 0; i < KILLS; i++) {
            rounds.add(new Round(i, works[i % works.length], random.nextLong()));
        }
        try (ExecutorService lanes = Executors.newFixedThreadPool(SIDE_BY_SIDE)) {
            for (Future<Void> ended : lanes.invokeAll(rounds)) {
                ended.get();
            }
        }
        leaks.assertNothingGrew();
        assertEquals(threads, threads());
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveByteSize());
        arena.close();
        device.close();
    }

    /** But for those of the JDK that wait for processes, and of the test. */
    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName)
                .filter(name -> name.startsWith("verbena") || name.startsWith("survivor"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The life of one that is killed. */
    private final class Round implements Callable<Void> {
        private final String name;
        private final DyingPeer.Work work;
        private final long seed;
        private TensorReceiver small;
        private TensorReceiver large;
        private TensorSender back;
        private boolean isToldBySmall;
        private boolean isToldByLarge;
        private boolean isToldByBack;

        Round(int number, DyingPeer.Work work, long seed) {
            name = String.format("victim:%05d", number);
            this.work = work;
            this.seed = seed;
        }

        @Override
        public Void call() throws Exception {
            String what = name + " " + work + " seed=" + seed;
            try {
                small = device.receiver("small of " + name, arena, ElementType.UINT8, DyingPeer.SMALL, DyingPeer.DEPTH);
                large = device.receiver("large of " + name, arena, ElementType.UINT8, DyingPeer.LARGE, DyingPeer.DEPTH);
                Process victim = ChildJvm.start(DyingPeer.class, "" + device.endpoint().port(), name, work.name(),
                        "" + seed);
                while (victim.isAlive()) {
                    long seen = device.activity();
                    drive();
                    device.awaitActivity(seen, 1_000_000);
                }
                assertEquals(KILLED, victim.waitFor(), what);
                FabricPair.await(what + " is missed", this::isTold, this::drive);
                small.close();
                large.close();
                if (back != null) {
                    back.close();
                }
                return null;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError(what, e);
            }
        }

        private void drive() {
            isToldBySmall |= poll(small);
            isToldByLarge |= poll(large);
            Endpoint endpoint = met.get(name);
            if (endpoint != null && back == null) {
                back = device.channel(endpoint, 0).sender("back to " + name, ElementType.UINT8, DyingPeer.SMALL,
                        TIMEOUT);
            }
            if (back != null) {
                isToldByBack |= offer();
            }
        }

        /** @return whether the end was told */
        private boolean poll(TensorReceiver receiver) {
            try {
                for (Tensor arrived = receiver.poll(); arrived != null; arrived = receiver.poll()) {
                    assertWhole(arrived);
                    arrived.close();
                }
                return false;
            } catch (TransferException e) {
                assertTrue(e.getMessage().contains(name), e.getMessage());
                return true;
            }
        }

        private boolean offer() {
            try (Tensor tensor = arena.allocate(ElementType.UINT8, DyingPeer.SMALL)) {
                back.offer(tensor, null);
                return false;
            } catch (TransferException e) {
                assertTrue(e.getMessage().contains(name), e.getMessage());
                return true;
            }
        }

        private boolean isTold() {
            boolean wasConnected = work != DyingPeer.Work.CONNECTING && work != DyingPeer.Work.CLOSING;
            return isToldOrAlone(small, isToldBySmall) && isToldOrAlone(large, isToldByLarge)
                    && (back == null || isToldByBack)
                    && (!wasConnected || lost.stream().anyMatch(cause -> cause.contains(name)));
        }

        private static boolean isToldOrAlone(TensorReceiver receiver, boolean isTold) {
            return isTold || !receiver.senderName().startsWith("victim");
        }

        private static void assertWhole(Tensor tensor) {
            byte value = tensor.memory().get(JAVA_BYTE, 0);
            for (long i = 0; i < tensor.byteSize(); i += 61) {
                assertEquals(value, tensor.memory().get(JAVA_BYTE, i));
            }
            assertEquals(value, tensor.memory().get(JAVA_BYTE, tensor.byteSize() - 1));
        }
    }
}
