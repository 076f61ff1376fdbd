package dev.verbena.cli.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DeviceSnapshot;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

class LookTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Shape SHAPE = Shape.of(16);

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name).withFabric("shm"));
    }

    private static Look look(long atNs) {
        return new Look(atNs, DeviceSnapshot.ofProcess(ProcessHandle.current().pid()));
    }

    private static Flow only(List<Flow> flows, boolean receives) {
        List<Flow> found = flows.stream().filter(flow -> flow.receives() == receives).toList();
        assertEquals(1, found.size(), flows::toString);
        return found.getFirst();
    }

    @Test
    void ratesAreOfWhatWasMovedBetweenTwoLooks() {
        try (RdmaDevice ada = device("ada");
                RdmaDevice bob = device("bob");
                TensorArena arena = TensorArena.create(ada.slabSource(), 1 << 20, 1 << 20);
                TensorArena slots = TensorArena.create(bob.slabSource(), 1 << 20, 1 << 20);
                TensorReceiver receiver = bob.receiver("weights", slots, ElementType.FLOAT32, SHAPE, 2);
                TensorSender sender = ada.channel(bob.endpoint(), 0).sender("weights", ElementType.FLOAT32, SHAPE,
                        TIMEOUT);
                Tensor tensor = arena.allocate(ElementType.FLOAT32, SHAPE)) {
            send(sender, receiver, tensor, 3);
            Look first = look(0);
            send(sender, receiver, tensor, 50);
            Look second = look(2_000_000_000L);

            Flow sends = only(second.since(first), false);
            assertEquals(53, sends.tensors());
            assertEquals(25, sends.tensorsPerSecond());
            assertEquals(25 * 64, sends.bytesPerSecond());
            assertEquals(0, sends.staged());
            assertEquals(1, sends.fabric());
            assertTrue(sends.p50Ns() > 0 && sends.p50Ns() <= sends.p99Ns(), sends::toString);
            assertEquals(25, only(second.since(first), true).tensorsPerSecond());

            Flow none = only(look(3_000_000_000L).since(second), false);
            assertEquals(0, none.bytesPerSecond());
            assertEquals(0, none.fabric(), "of nothing");

            assertTrue(sends.line().contains(" ada            -> bob            weights "), sends.line());
            assertEquals("sends", sends.toMap().get("direction"));
            assertEquals(25.0, sends.toMap().get("tensorsPerSecond"));
        }
    }

    @Test
    void aNameDoesNotSteerTheTerminal() {
        Flow flow = new Flow(1, "ada", true, "red\u001b[31m" + "x".repeat(40), "", "how", 0, 0, 0, 0, 0, 0, 0, 0);
        assertTrue(flow.line().contains(" ada            <- -              red?[31m" + "x".repeat(15) + "… "),
                flow.line());
        assertFalse(flow.line().contains("\u001b"), flow.line());
    }

    private static void send(TensorSender sender, TensorReceiver receiver, Tensor tensor, int count) {
        for (int i = 0; i < count; i++) {
            sender.send(tensor, TIMEOUT);
            receiver.poll(TIMEOUT).close();
        }
    }
}
