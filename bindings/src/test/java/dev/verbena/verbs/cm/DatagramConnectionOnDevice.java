package dev.verbena.verbs.cm;

import static dev.verbena.verbs.cm.CmPair.HANG_NS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.AddressHandle;
import dev.verbena.verbs.AddressVector;
import dev.verbena.verbs.Need;
import dev.verbena.verbs.Needs;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.QueuePairType;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.WorkCompletions;
import dev.verbena.verbs.abi.rdma_core_h;

/** Datagrams and multicast groups by the connection manager. */
@Needs(Need.UNRELIABLE_DATAGRAMS)
class DatagramConnectionOnDevice {
    private static final int HEADER_BYTE_SIZE = 40;
    private static final InetAddress GROUP = group("239.1.2.3");
    private static final InetAddress OTHER_GROUP = group("239.1.2.4");

    private final CmPair pair = new CmPair(CmPortSpace.DATAGRAM);

    private static InetAddress group(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private static byte[] bytes(int count, int value) {
        byte[] bytes = new byte[count];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    @Test
    void onesidedConnectingTellsWhereToSendAndADatagramSaysWhereToAnswer() {
        pair.resolve();
        byte[] question = bytes(CmPortSpace.DATAGRAM.connectPrivateByteSizeMax(), 1);
        byte[] answer = bytes(CmPortSpace.DATAGRAM.acceptPrivateByteSizeMax(), 2);
        assertEquals(180, question.length);
        assertEquals(136, answer.length);
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            assertEquals(QueuePairState.READY_TO_SEND, active.state());
            CmEvent request = pair.request(ConnectionParameters.defaults().withPrivateData(question));
            assertArrayEquals(question, request.privateData());
            assertNull(request.destination());
            assertEquals(CmPortSpace.DATAGRAM, request.id().portSpace());
            try (CmPair.Resources there = new CmPair.Resources(pair.passive.device(),
                    QueuePairType.UNRELIABLE_DATAGRAM);
                    QueuePair passive = pair.passive.createQueuePair(there.domain, there.options())) {
                pair.passive.accept(ConnectionParameters.defaults().withPrivateData(answer));
                CmEvent established = pair.expect(CmEventType.ESTABLISHED, pair.active);
                assertArrayEquals(answer, established.privateData());
                DatagramDestination destination = established.destination();
                assertEquals(passive.number(), destination.queuePairNumber());
                assertEquals(passive.query().queueKey(), destination.queueKey());
                assertNull(pair.channel.await(0), "the passive side hears nothing");

                there.receive(passive, 31, 1024, 512);
                pair.resources.region.memory().set(ValueLayout.JAVA_LONG, 0, 42);
                send(active, pair.resources, destination.path(), destination.queuePairNumber(), destination.queueKey());
                WorkCompletions received = there.expectCompletion(31);
                assertEquals(42, there.region.memory().get(ValueLayout.JAVA_LONG, 1024 + HEADER_BYTE_SIZE));
                assertEquals(active.number(), received.sourceQueuePairNumber(0));

                pair.resources.receive(active, 32, 1024, 512);
                there.region.memory().set(ValueLayout.JAVA_LONG, 0, 43);
                MemorySegment header = there.region.memory().asSlice(1024, HEADER_BYTE_SIZE);
                AddressVector back = pair.passive.device().senderOf(received, 0, pair.passive.port(), header);
                send(passive, there, back, received.sourceQueuePairNumber(0), destination.queueKey());
                pair.resources.expectCompletion(32);
                assertEquals(43, pair.resources.region.memory().get(ValueLayout.JAVA_LONG, 1024 + HEADER_BYTE_SIZE));
            }
        }
    }

    private static void send(QueuePair from, CmPair.Resources resources, AddressVector path, int queuePairNumber,
            int queueKey) {
        try (AddressHandle handle = resources.domain.createAddressHandle(path)) {
            SendRequests requests = new SendRequests(1, 1, 0);
            requests.get(0).send(1).element(resources.region, 0, 8).to(handle, queuePairNumber, queueKey).signaled();
            assertEquals(1, from.post(requests, 0, 1));
            resources.expectCompletion(1);
        }
    }

    @Test
    void aRefusalSaysSoAndCarriesPrivateData() {
        pair.resolve();
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            assertTrue(active.isOpen());
            pair.request(ConnectionParameters.defaults());
            pair.passive.reject(bytes(CmPortSpace.DATAGRAM.rejectPrivateByteSizeMax(), 3));
            CmEvent refused = pair.expect(CmEventType.UNREACHABLE, pair.active);
            assertEquals(2, refused.status());
            assertTrue(refused.problem().contains("refused by the program"), refused::problem);
            assertArrayEquals(bytes(136, 3), refused.privateData());
        }
    }

    @Test
    void nobodyListening() {
        pair.resolve();
        pair.listener.close();
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            assertTrue(active.isOpen());
            pair.active.connect(ConnectionParameters.defaults());
            CmEvent refused = pair.expect(CmEventType.UNREACHABLE, pair.active);
            assertEquals(1, refused.status());
            assertTrue(refused.problem().contains("nobody listens at that port"), refused::problem);
        }
    }

    @Test
    void whatOnlyConnectionsCanIsRefused() {
        pair.resolve();
        for (Runnable call : new Runnable[]{pair.active::disconnect, pair.active::establish}) {
            IllegalStateException refused = assertThrows(IllegalStateException.class, call::run);
            assertTrue(refused.getMessage().contains("datagrams have no connection"), refused::getMessage);
        }
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            assertTrue(active.isOpen());
            assertThrows(IllegalArgumentException.class, () -> pair.active
                    .connect(ConnectionParameters.defaults().withPrivateData(bytes(181, 0))));
        }
    }

    /** Each space has ports of its own. */
    @Test
    void aConnectionMayListenAtThePortOfDatagrams() {
        try (CmId other = pair.channel.createId()) {
            assertEquals(CmPortSpace.RELIABLE, other.portSpace());
            other.bind(pair.listener.localAddress());
            assertEquals(pair.listener.localAddress(), other.localAddress());
            try (CmId same = pair.channel.createId(CmPortSpace.DATAGRAM)) {
                VerbsException taken = assertThrows(VerbsException.class,
                        () -> same.bind(pair.listener.localAddress()));
                assertEquals(rdma_core_h.EADDRINUSE(), taken.errno());
            }
        }
    }

    @Test
    void groupsAreJoinedAndLeft() {
        pair.active.bind(new InetSocketAddress(CmPair.address(), 0));
        pair.resources = new CmPair.Resources(pair.active.device(), QueuePairType.UNRELIABLE_DATAGRAM);
        QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options());
        DatagramDestination first = joined(GROUP, MulticastMembership.FULL);
        DatagramDestination second = joined(OTHER_GROUP, MulticastMembership.SEND_ONLY);
        assertEquals(0xffffff, first.queuePairNumber());
        assertEquals(active.query().queueKey(), first.queueKey());
        assertEquals(0xffff_ef01_0203L, first.path().peerGid().interfaceId());
        assertNotEquals(first.path().peerGid(), second.path().peerGid());
        send(active, pair.resources, first.path(), first.queuePairNumber(), first.queueKey());

        IllegalStateException twice = assertThrows(IllegalStateException.class,
                () -> pair.active.joinMulticast(GROUP, MulticastMembership.FULL));
        assertTrue(twice.getMessage().contains("group=/239.1.2.3"), twice::getMessage);
        VerbsException attached = assertThrows(VerbsException.class, active::close);
        assertTrue(attached.getMessage().contains("leaveMulticast"), attached::getMessage);
        pair.active.leaveMulticast(GROUP);
        assertThrows(IllegalStateException.class, () -> pair.active.leaveMulticast(GROUP));
        active.close();
        pair.active.leaveMulticast(OTHER_GROUP);
    }

    private DatagramDestination joined(InetAddress group, MulticastMembership membership) {
        pair.active.joinMulticast(group, membership);
        CmEvent event = pair.expect(CmEventType.MULTICAST_JOIN, pair.active);
        assertEquals(group, event.group());
        assertEquals(0, event.privateData().length);
        return event.destination();
    }

    @Test
    void aGroupThatIsLeftAtOnceIsJoinedAgain() {
        pair.active.bind(new InetSocketAddress(CmPair.address(), 0));
        for (int i = 0; i < 10; i++) {
            pair.active.joinMulticast(GROUP, MulticastMembership.FULL);
            pair.active.leaveMulticast(GROUP);
        }
        assertEquals(0xffffff, joined(GROUP, MulticastMembership.FULL).queuePairNumber());
        // Left by closing.
    }

    @Test
    void whatIsNoGroupAndWhoHasNoDeviceIsRefused() {
        IllegalArgumentException unicast = assertThrows(IllegalArgumentException.class,
                () -> pair.active.joinMulticast(CmPair.address(), MulticastMembership.FULL));
        assertTrue(unicast.getMessage().contains("is no multicast address"), unicast::getMessage);
        assertThrows(IllegalStateException.class, () -> pair.active.joinMulticast(GROUP, MulticastMembership.FULL));
        try (CmId connection = pair.channel.createId()) {
            connection.resolveAddress(new InetSocketAddress(CmPair.address(), 1), HANG_NS);
            pair.expect(CmEventType.ADDRESS_RESOLVED, connection);
            assertThrows(RuntimeException.class, () -> connection.joinMulticast(GROUP, MulticastMembership.FULL));
        }
    }
}
