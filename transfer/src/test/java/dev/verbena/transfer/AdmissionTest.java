package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabOptions;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;

/** What a peer gets that asks for more than it is granted, or says what is not so. */
@Timeout(60)
class AdmissionTest {
    private final List<String> lost = Collections.synchronizedList(new ArrayList<>());

    private RdmaDevice device(Admission admission) {
        RdmaDevice device = RdmaDevice.create(DevicePair.options(ArrivalMode.IMMEDIATE).withName("granting")
                .withAdmission(admission));
        device.onPeerLost(lost::add);
        return device;
    }

    private String awaitLost(RdmaDevice device) {
        return DevicePair.await(device, () -> lost.isEmpty() ? null : lost.getFirst());
    }

    @Test
    void moreQueuePairsThanAreGrantedAreRefused() {
        try (RdmaDevice device = device(new Admission(4, 2)); RawPeer peer = new RawPeer()) {
            String message = assertThrows(TransferException.class, () -> peer.connect(device, 1 + 3)).getMessage();
            assertTrue(message.contains("'granting'") && message.contains("peer 'process ")
                    && message.contains("3 data queue pairs") && message.contains("queuePairsMax=2")
                    && message.contains("withAdmission"), message);
            assertEquals(3, peer.connect(device, 1 + 2).queuePairs().size());
        }
    }

    @Test
    void morePeersThanAreGrantedAreRefusedUntilOneLeaves() {
        try (RdmaDevice device = device(new Admission(1, 2)); RawPeer peer = new RawPeer()) {
            Connection first = peer.connect(device, 2);
            // It counts from when it is accepted, of which the first word from it is a proof.
            peer.send(first.queuePairs().getFirst(), RawPeer.call(1, "nothing", 0));
            String message = assertThrows(TransferException.class, () -> peer.connect(device, 2)).getMessage();
            assertTrue(message.contains("peersMax=1"), message);
            first.close();
            assertNotNull(DevicePair.await(device, () -> {
                try {
                    return peer.connect(device, 2);
                } catch (TransferException e) {
                    return null;
                }
            }));
        }
    }

    /** Its answers would pile up. */
    @Test
    void whoAsksAndDoesNotTakeTheAnswersIsGivenUp() {
        try (RdmaDevice device = device(Admission.defaults()); RawPeer peer = new RawPeer()) {
            device.handle("echo", (_, request) -> request);
            QueuePair queuePair = peer.connect(device, 2).queuePairs().getFirst();
            for (int i = 0; lost.isEmpty() && queuePair.state() == QueuePair.State.READY; i++) {
                peer.send(queuePair, RawPeer.call(i, "echo", 1000));
            }
            String cause = awaitLost(device);
            assertTrue(cause.contains("does not take the answers"), cause);
        }
    }

    @Test
    void whoAnnouncesATensorToAReceiverThatIsNotItsOwnIsGivenUp() {
        try (RdmaDevice device = device(Admission.defaults());
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 16, 1 << 20);
                TensorReceiver receiver = device.receiver("edge", arena, ElementType.FLOAT32, Shape.of(4), 1);
                RawPeer peer = new RawPeer()) {
            QueuePair queuePair = peer.connect(device, 2).queuePairs().get(1);
            peer.announce(queuePair, 0);
            String cause = awaitLost(device);
            assertTrue(cause.contains("receiver 'edge', which it does not send to"), cause);
            assertNull(receiver.poll(), "nothing has arrived");
        }
    }

    /** Only what a peer is told the key of is written by it, and nothing is read. */
    @Test
    void memoryHasTheRightsThatItsUseNeeds() {
        Set<AccessRight> local = EnumSet.of(AccessRight.LOCAL_WRITE);
        Set<AccessRight> written = EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
        List<Set<AccessRight>> registered = new ArrayList<>();
        try (RdmaDevice device = RdmaDevice.create(DevicePair.options(ArrivalMode.AUTO), recording(registered))) {
            assertEquals(List.of(local, written), registered, "messages, and words of peers");
            TensorArena.create(device.slabSource(), 1 << 16, 1 << 20).close();
            assertEquals(written, registered.getLast());
            device.allocateRegion(100).close();
            assertEquals(EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ),
                    registered.getLast());
            try (MemoryRegion own = device.allocateRegion(100, local, SlabOptions.defaults())) {
                assertEquals(local, own.rights());
            }
        }
    }

    /** A fabric that remembers with which rights memory was registered. */
    private static Fabric recording(List<Set<AccessRight>> registered) {
        Fabric fabric = Fabrics.select("shm", NetworkOptions.defaults()).open(NetworkOptions.defaults());
        return (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(), new Class<?>[]{Fabric.class},
                (_, method, arguments) -> {
                    Object result = method.invoke(fabric, arguments);
                    if (result instanceof MemoryRegion region) {
                        registered.add(region.rights());
                    }
                    return result;
                });
    }

    @Test
    void impossibleGrantsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new Admission(-1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Admission(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Admission(1, 256));
    }
}
