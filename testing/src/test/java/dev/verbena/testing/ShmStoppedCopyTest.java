package dev.verbena.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.invoke.VarHandle;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.GivenSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.MemoryRegion;

/** On shm a sender's processor writes: one that is stopped in the midst of a tensor has the rest of it still to write when it goes on. */
@Timeout(120)
class ShmStoppedCopyTest {
    private static final long BYTE_SIZE = 64 << 20;
    private static final int PEER_TIMEOUT_MS = 1_000;

    private static final VarHandle BYTE = JAVA_BYTE.varHandle();

    private static final byte MINE = -99;

    private RdmaDevice device;
    private MemoryRegion region;
    private TensorReceiver receiver;
    private Process child;

    @AfterEach
    void end() throws InterruptedException {
        child.destroyForcibly().waitFor();
        device.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONT", "KILL"})
    void itsTargetIsNotUsedForAnythingElseBeforeItHasStoppedWriting(String end) throws Exception {
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withName("parent");
        device = RdmaDevice
                .create(options.withNetwork(options.network().withPeerTimeoutMs(PEER_TIMEOUT_MS)));
        region = device.allocateRegion(BYTE_SIZE + (1 << 20));
        Shape shape = Shape.of(BYTE_SIZE);
        TensorArena arena = TensorArena.create(new GivenSlabSource(region), region.memory().byteSize(),
                region.memory().byteSize());
        receiver = device.receiver("large", arena, ElementType.UINT8, shape, 1);
        child = ChildJvm.start(SendingPeer.class, "" + device.endpoint().port(), "" + BYTE_SIZE);
        stopInMidCopy();

        assertThrows(TransferException.class, () -> {
            while (true) {
                Tensor arrived = receiver.poll(Duration.ofSeconds(20));
                arrived.close();
            }
        });
        receiver.close();
        assertNull(arena.tryAllocate(ElementType.UINT8, shape), "somebody may still write to it");
        assertThrows(IllegalStateException.class, arena::close);
        signal(end);
        try (Tensor again = arena.allocate(ElementType.UINT8, shape, Duration.ofSeconds(20))) {
            again.memory().fill(MINE);
            int status = child.waitFor();
            assertTrue(end.equals("KILL") || status == StreamingPeer.TOLD, "status " + status);
            for (long i = 0; i < BYTE_SIZE; i++) {
                assertEquals(MINE, again.memory().get(JAVA_BYTE, i));
            }
        }
        assertTrue(arena.isConsistent());
        arena.close();
    }

    /** Sends and looks until it is certain that the sender stands in the midst of a tensor. */
    private void stopInMidCopy() throws Exception {
        while (true) {
            long begin;
            byte last;
            try (Tensor arrived = receiver.poll(Duration.ofSeconds(20))) {
                begin = arrived.slabOffset();
                // Once it is given back the next one may be there in a moment.
                last = arrived.memory().get(JAVA_BYTE, BYTE_SIZE - 1);
                assertEquals(arrived.memory().get(JAVA_BYTE, 0), last);
            }
            while (at(begin) == last) {
                assertFalse(Thread.interrupted(), "the next tensor does not come");
                Thread.onSpinWait();
            }
            signal("STOP");
            if (at(begin + BYTE_SIZE - 1) == last) {
                return;
            }
            signal("CONT");
        }
    }

    private byte at(long offset) {
        return (byte) BYTE.getOpaque(region.memory(), offset);
    }

    private void signal(String signal) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + signal, "" + child.pid()).start().waitFor());
    }
}
