package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

class TopCommandTest {
    private static final String OWN = Long.toString(ProcessHandle.current().pid());
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** Of this process, by another. */
    @Test
    void aRunningProcessIsSeenFromOutside() throws Exception {
        Shape shape = Shape.of(1024);
        try (RdmaDevice device = RdmaDevice.create(RdmaDeviceOptions.defaults().withName("watched").withFabric("shm"));
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 20);
                TensorReceiver receiver = device.receiver("weights", arena, ElementType.FLOAT32, shape, 2);
                TensorSender sender = device.channel(device.endpoint(), 0).sender("weights", ElementType.FLOAT32, shape,
                        TIMEOUT);
                Tensor tensor = arena.allocate(ElementType.FLOAT32, shape)) {
            AtomicBoolean isOver = new AtomicBoolean();
            Thread busy = Thread.ofPlatform().start(() -> {
                while (!isOver.get()) {
                    sender.send(tensor, TIMEOUT);
                    receiver.poll(TIMEOUT).close();
                }
            });
            try {
                boolean hasMoved = false;
                while (!hasMoved) { // A busy machine may give the sender nothing between two looks.
                    List<?> transfers = transfersSeenFromOutside();
                    assertEquals(2, transfers.size(), transfers::toString);
                    hasMoved = true;
                    for (Object each : transfers) {
                        Map<?, ?> transfer = (Map<?, ?>) each;
                        assertEquals("weights", transfer.get("name"));
                        assertEquals("watched", transfer.get("peer"));
                        hasMoved &= ((Number) transfer.get("bytesPerSecond")).doubleValue() > 0;
                    }
                }
            } finally {
                isOver.set(true);
                busy.join();
            }
            try (CommandRun run = CommandRun.start("top", "--looks=2", "--interval=0.05", OWN)) {
                assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
                assertEquals(6, run.output().lines().count(), run.output());
                assertTrue(run.output().contains(" watched        -> watched        weights "), run.output());
            }
        }
    }

    private static List<?> transfersSeenFromOutside() throws Exception {
        try (CommandRun run = CommandRun.start("top", "--json", "--interval=0.2", OWN)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            Map<String, Object> seen = JSON.std.mapFrom(run.output());
            assertTrue(seen.get("devices").toString().contains("name=watched, fabric=shm"), seen::toString);
            return (List<?>) seen.get("transfers");
        }
    }

    /** Each of its tasks, what they send each other, and that nothing is staged; the training does not notice. */
    @Test
    void aTrainingIsSeenWhileItRuns() throws Exception {
        try (CommandRun training = CommandRun.start("train", "--iterations=1000000", "--workers=2", "--progress")) {
            long deadlineNs = System.nanoTime() + TIMEOUT.toNanos();
            while (!training.errors().contains("iteration") && System.nanoTime() < deadlineNs) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            Map<String, ProcessHandle> tasks = training.tasks();
            assertEquals(Set.of("server:0", "worker:0", "worker:1"), tasks.keySet(), training::errors);
            List<String> arguments = new ArrayList<>(List.of("top", "--json", "--interval=0.5", "--looks=3"));
            tasks.values().forEach(task -> arguments.add(Long.toString(task.pid())));
            try (CommandRun run = CommandRun.start(arguments.toArray(String[]::new))) {
                assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
                // In the first iteration something is staged: the tracer learns.
                Map<String, Object> seen = JSON.std.mapFrom(run.output().lines().toList().getLast());
                for (String task : tasks.keySet()) {
                    assertTrue(seen.get("devices").toString().contains("name=" + task + ", fabric=shm"),
                            seen::toString);
                    assertTrue(hasMoved(seen, task, "sends") && hasMoved(seen, task, "receives"),
                            () -> task + ": " + seen);
                }
                for (Object each : (List<?>) seen.get("transfers")) {
                    Map<?, ?> transfer = (Map<?, ?>) each;
                    assertTrue(tasks.containsKey(transfer.get("peer")), transfer::toString);
                    assertEquals(0, ((Number) transfer.get("stagedShare")).doubleValue(), transfer::toString);
                }
            }
            assertEquals(tasks.keySet(), training.tasks().keySet(), "it goes on");
        }
    }

    private static boolean hasMoved(Map<String, Object> seen, String task, String direction) {
        return ((List<?>) seen.get("transfers")).stream().map(each -> (Map<?, ?>) each)
                .anyMatch(each -> each.get("device").equals(task) && each.get("direction").equals(direction)
                        && ((Number) each.get("tensors")).longValue() > 0);
    }

    @Test
    void whatCannotBeLookedAtIsSaid() throws Exception {
        assertRefused(ExitStatus.BAD_INPUT, "--interval=0.0 is not from 0.01 to 3600.0 seconds", "--interval=0");
        assertRefused(ExitStatus.BAD_INPUT, "--interval=NaN is not from", "--interval=NaN");
        assertRefused(ExitStatus.BAD_INPUT, "--looks=0 is not positive", "--looks=0");
        assertRefused(ExitStatus.BAD_INPUT, "there is no such process", "999999999");
        assertRefused(ExitStatus.FAILED, "no device there that sends or receives", OWN);
    }

    private static void assertRefused(int status, String complaint, String argument) throws Exception {
        try (CommandRun run = CommandRun.start("top", argument)) {
            assertEquals(status, run.await(), run::errors);
            assertTrue(run.errors().contains(complaint), run::errors);
        }
    }
}
