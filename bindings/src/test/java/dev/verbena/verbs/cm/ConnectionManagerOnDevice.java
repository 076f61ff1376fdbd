package dev.verbena.verbs.cm;

import static dev.verbena.verbs.cm.CmPair.HANG_NS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.Driver;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.Need;
import dev.verbena.verbs.Needs;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairState;
import dev.verbena.verbs.SendRequests;
import dev.verbena.verbs.TestedDevice;
import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.abi.rdma_core_h;

/** Connecting and disconnecting, step by step. */
class ConnectionManagerOnDevice {
    private final CmPair pair = new CmPair();

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void connectsWithPrivateDataBothWaysMovesDataAndDisconnects() {
        pair.resolve();
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            CmEvent request = pair.request(ConnectionParameters.defaults().withReads(3, 2).withRetries(5, 4)
                    .withPrivateData(bytes("ping")));
            assertStartsWith("ping", request.privateData());
            assertEquals(2, request.parameters().readsAcceptedMax());
            assertEquals(3, request.parameters().readsOutstandingMax());
            if (TestedDevice.has(Need.INFINIBAND_REQUESTS)) {
                assertEquals(CmPortSpace.RELIABLE.connectPrivateByteSizeMax(), request.privateData().length);
                assertEquals(5, request.parameters().retryCount());
                assertEquals(4, request.parameters().receiverNotReadyRetry());
                assertEquals(active.number(), request.parameters().queuePairNumber());
            }
            assertEquals(pair.active.localAddress(), pair.passive.remoteAddress());
            assertEquals(pair.listener.localAddress(), pair.passive.localAddress());
            assertSame(pair.active.device(), pair.passive.device());
            assertEquals(1, pair.passive.port());
            try (CmPair.Resources there = new CmPair.Resources(pair.passive.device());
                    QueuePair passive = pair.passive.createQueuePair(there.domain, there.options())) {
                there.region.memory().set(ValueLayout.JAVA_LONG, 0, 42);
                pair.passive.accept(ConnectionParameters.defaults().withPrivateData(bytes("pong")));
                CmEvent accepted = pair.established();
                assertStartsWith("pong", accepted.privateData());
                if (TestedDevice.has(Need.INFINIBAND_REQUESTS)) {
                    assertEquals(CmPortSpace.RELIABLE.acceptPrivateByteSizeMax(), accepted.privateData().length);
                    assertEquals(passive.number(), accepted.parameters().queuePairNumber());
                    assertEquals(5, active.query().retryCount());
                }
                SendRequests requests = new SendRequests(1, 1, 0);
                requests.get(0).read(1, there.region.remoteAddress(), there.region.rkey())
                        .element(pair.resources.region, 8, 8).signaled();
                assertEquals(1, active.post(requests, 0, 1));
                pair.resources.expectCompletion(1);
                assertEquals(42, pair.resources.region.memory().get(ValueLayout.JAVA_LONG, 8));
                pair.active.disconnect();
                if (TestedDevice.has(Need.CONNECTING_BY_HAND)) {
                    disconnectPassive(active, passive);
                } else {
                    bothAreDisconnected(active, passive);
                }
            }
        }
    }

    private void disconnectPassive(QueuePair active, QueuePair passive) {
        assertEquals(QueuePairState.ERROR, active.state());
        CmEvent first = pair.expect(CmEventType.DISCONNECTED, null);
        assertEquals(pair.passive, first.id());
        pair.passive.disconnect();
        assertEquals(QueuePairState.ERROR, passive.state());
        pair.expect(CmEventType.DISCONNECTED, pair.active);
    }

    /** On iWARP the end of the TCP connection is an event of both sides at once, and the event tells the state. */
    private void bothAreDisconnected(QueuePair active, QueuePair passive) {
        CmEvent first = pair.expect(CmEventType.DISCONNECTED, null);
        CmEvent second = pair.expect(CmEventType.DISCONNECTED, null);
        assertNotEquals(first.id(), second.id());
        assertEquals(QueuePairState.ERROR, active.state());
        assertEquals(QueuePairState.ERROR, passive.state());
    }

    @Test
    @Needs(Need.CONNECTING_BY_HAND)
    void aQueuePairOfOnesOwnConnectsToo() {
        pair.resolve();
        try (QueuePair active = pair.resources.domain.createQueuePair(pair.resources.options());
                QueuePair passive = pair.resources.domain.createQueuePair(pair.resources.options())) {
            ConnectionParameters parameters = ConnectionParameters.defaults().withQueuePair(active, false);
            pair.request(parameters);
            bring(pair.passive, passive, QueuePairState.READY_TO_SEND);
            pair.passive.accept(parameters.withQueuePair(passive, false));
            CmEvent response = pair.expect(CmEventType.CONNECT_RESPONSE, pair.active);
            assertEquals(passive.number(), response.parameters().queuePairNumber());
            bring(pair.active, active, QueuePairState.READY_TO_SEND);
            pair.active.establish();
            pair.expect(CmEventType.ESTABLISHED, pair.passive);
            SendRequests requests = new SendRequests(1, 1, 0);
            requests.get(0).write(1, pair.resources.region.remoteAddress(), pair.resources.region.rkey())
                    .element(pair.resources.region, 8, 8).signaled();
            assertEquals(1, active.post(requests, 0, 1));
            pair.resources.expectCompletion(1);
        }
    }

    private static void bring(CmId id, QueuePair queuePair, QueuePairState last) {
        for (QueuePairState state = QueuePairState.RESET; state != last;) {
            state = QueuePairState.values()[state.ordinal() + 1];
            queuePair.modify(id.attributes(state));
        }
        assertEquals(last, queuePair.state());
    }

    @Test
    void aRejectionCarriesPrivateDataAndSaysWhoRefused() {
        pair.resolve();
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            pair.request(ConnectionParameters.defaults());
            pair.passive.reject(bytes("full"));
            CmEvent rejected = pair.expect(CmEventType.REJECTED, pair.active);
            boolean hasReasons = TestedDevice.has(Need.INFINIBAND_REQUESTS);
            assertEquals(hasReasons ? 28 : -rdma_core_h.ECONNRESET(), rejected.status());
            assertStartsWith("full", rejected.privateData());
            assertTrue(rejected.problem().contains(hasReasons ? "refused by the program" : "the program there refused"),
                    rejected::problem);
            assertTrue(rejected.problem().contains(pair.listener.localAddress().toString()), rejected::problem);
            assertEquals(QueuePairState.ERROR, active.state());
        }
    }

    @Test
    void nobodyListening() {
        InetSocketAddress address = pair.listener.localAddress();
        pair.resolve();
        pair.listener.close();
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            assertTrue(active.isOpen());
            if (TestedDevice.driver() == Driver.SOFT_IWARP) { // it waits for TCP's answer
                VerbsException refused = assertThrows(VerbsException.class,
                        () -> pair.active.connect(ConnectionParameters.defaults()));
                assertEquals(rdma_core_h.ECONNREFUSED(), refused.errno());
                assertTrue(refused.getMessage().contains(address.toString()), refused::getMessage);
                return;
            }
            pair.active.connect(ConnectionParameters.defaults());
            CmEvent rejected = pair.expect(CmEventType.REJECTED, pair.active);
            assertEquals(8, rejected.status());
            assertTrue(rejected.problem().contains("nobody listens at that port"), rejected::problem);
            assertTrue(rejected.problem().contains(address.toString()), rejected::problem);
        }
    }

    @Test
    void anAddressThatNoDeviceLeadsTo() {
        try {
            // TEST-NET-3 of RFC 5737: nobody's.
            pair.active.resolveAddress(new InetSocketAddress("203.0.113.1", 1), HANG_NS);
            CmEvent failed = pair.expect(CmEventType.ADDRESS_ERROR, pair.active);
            assertTrue(failed.status() < 0);
            assertTrue(failed.problem().contains("ip route get"), failed::problem);
        } catch (VerbsException atOnce) {
            assertEquals("rdma_resolve_addr", atOnce.verb());
            assertTrue(atOnce.getMessage().contains("203.0.113.1"), atOnce::getMessage);
        }
    }

    @Test
    void whatIsMissingIsSaidWhereTheLibraryWouldCrash() {
        IllegalStateException early = assertThrows(IllegalStateException.class,
                () -> pair.active.connect(ConnectionParameters.defaults()));
        assertTrue(early.getMessage().contains("no device yet"), early::getMessage);
        assertThrows(IllegalStateException.class, pair.active::device);
        assertThrows(IllegalStateException.class, () -> pair.active.attributes(QueuePairState.INIT));
        assertThrows(IllegalStateException.class, pair.active::establish);
        assertThrows(VerbsException.class, pair.active::disconnect);
        assertThrows(IllegalStateException.class, () -> pair.active.resolveRoute(HANG_NS));
        assertThrows(VerbsException.class, () -> pair.active.reject(new byte[0]));
        assertNull(pair.active.remoteAddress());
        pair.resolve();
        IllegalStateException bare = assertThrows(IllegalStateException.class,
                () -> pair.active.connect(ConnectionParameters.defaults()));
        assertTrue(bare.getMessage().contains("no queue pair"), bare::getMessage);
        ConnectionParameters tooMuch = ConnectionParameters.defaults()
                .withPrivateData(new byte[CmPortSpace.RELIABLE.connectPrivateByteSizeMax() + 1]);
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            IllegalArgumentException long57 = assertThrows(IllegalArgumentException.class,
                    () -> pair.active.connect(tooMuch));
            assertTrue(long57.getMessage().contains("bytes=57"), long57::getMessage);
            VerbsException second = assertThrows(VerbsException.class,
                    () -> pair.active.createQueuePair(pair.resources.domain, pair.resources.options()));
            assertEquals(rdma_core_h.EINVAL(), second.errno());
            assertEquals(QueuePairState.INIT, active.state());
            pair.request(ConnectionParameters.defaults()
                    .withPrivateData(new byte[CmPortSpace.RELIABLE.connectPrivateByteSizeMax()]));
            assertThrows(IllegalArgumentException.class, () -> pair.passive.accept(
                    ConnectionParameters.defaults()
                            .withPrivateData(new byte[CmPortSpace.RELIABLE.acceptPrivateByteSizeMax() + 1])
                            .withQueuePair(active, false)));
            assertThrows(IllegalArgumentException.class,
                    () -> pair.passive.reject(new byte[CmPortSpace.RELIABLE.rejectPrivateByteSizeMax() + 1]));
            pair.passive.reject(new byte[CmPortSpace.RELIABLE.rejectPrivateByteSizeMax()]);
            pair.expect(CmEventType.REJECTED, pair.active);
        }
    }

    @Test
    void whatIsClosedOrForeignIsRefused() {
        pair.resolve();
        try (DeviceContext other = DeviceContext.open(TestedDevice.name());
                ProtectionDomain foreign = other.allocateProtectionDomain()) {
            assertThrows(IllegalArgumentException.class,
                    () -> pair.active.createQueuePair(foreign, pair.resources.options()));
        }
        QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options());
        assertNamed(active, assertThrows(IllegalStateException.class, pair.active::close));
        assertNamed(active, assertThrows(IllegalStateException.class, pair.resources.domain::close));
        assertNamed(pair.active, assertThrows(IllegalStateException.class, pair.channel::close));
        active.close();
        assertThrows(IllegalStateException.class, active::query);
        QueuePair again = pair.active.createQueuePair(pair.resources.domain, pair.resources.options());
        if (TestedDevice.driver() != Driver.SOFT_IWARP) { // it gives the number out again at once
            assertNotEquals(active.number(), again.number());
        }
        again.close();
        pair.active.close();
        pair.active.close();
        assertThrows(IllegalStateException.class, () -> pair.active.resolveRoute(1));
        assertThrows(IllegalStateException.class, pair.active::device);
        assertThrows(IllegalStateException.class, () -> pair.active.migrate(pair.channel));
        // What was made from the device of a closed connection works on.
        try (MemoryRegion region = pair.resources.domain.allocate(4096, Set.of(AccessFlag.LOCAL_WRITE))) {
            assertEquals(4096, region.byteSize());
        }
    }

    private static void assertNamed(Object child, IllegalStateException refused) {
        assertTrue(refused.getMessage().contains(child.toString()), refused::getMessage);
    }

    @Test
    void aDeviceThatWasClosedComesBackWithTheNextConnection() {
        pair.resolve();
        DeviceContext before = pair.active.device();
        pair.resources.close();
        before.close();
        DeviceContext after = pair.active.device();
        assertNotEquals(before, after);
        pair.resources = new CmPair.Resources(after);
        assertEquals(TestedDevice.name(), after.name());
        assertEquals(1, after.query().ports().size());
    }

    @Test
    @Needs(Need.ADDRESS_VECTORS)
    void optionsTakeEffect() {
        pair.active.typeOfService(0x68);
        pair.resolve();
        pair.active.acknowledgeTimeout(10);
        try (QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options())) {
            pair.request(ConnectionParameters.defaults());
            try (QueuePair passive = pair.passive.createQueuePair(pair.resources.domain, pair.resources.options())) {
                pair.passive.accept(ConnectionParameters.defaults());
                pair.established();
                assertEquals(QueuePairState.READY_TO_SEND, passive.state());
                assertEquals(10, active.query().timeout());
                assertEquals(0x68, active.query().addressVector().trafficClass());
            }
        }
        assertThrows(IllegalArgumentException.class, () -> pair.active.typeOfService(256));
    }

    @Test
    void anAddressIsTakenUnlessBothReuseIt() {
        InetSocketAddress taken = pair.listener.localAddress();
        VerbsException refused = assertThrows(VerbsException.class, () -> pair.active.bind(taken));
        assertEquals(rdma_core_h.EADDRINUSE(), refused.errno());
        assertTrue(refused.getMessage().contains(taken.toString()), refused::getMessage);
        try (CmId first = pair.channel.createId(); CmId second = pair.channel.createId()) {
            first.reuseAddress(true);
            second.reuseAddress(true);
            first.bind(new InetSocketAddress(taken.getAddress(), 0));
            second.bind(first.localAddress());
            assertEquals(first.localAddress(), second.localAddress());
        }
    }

    @Test
    void aConnectionMovesToAnotherChannelWithTheEventsThatNobodyTook() {
        pair.resolve();
        try (CmEventChannel other = CmEventChannel.create()) {
            QueuePair active = pair.active.createQueuePair(pair.resources.domain, pair.resources.options());
            pair.request(ConnectionParameters.defaults());
            pair.passive.reject(bytes("no"));
            pair.active.migrate(other);
            assertNamed(pair.active, assertThrows(IllegalStateException.class, other::close));
            CmEvent rejected = CmPair.next(other);
            assertEquals(CmEventType.REJECTED, rejected.type());
            assertEquals(pair.active, rejected.id());
            active.close();
            pair.active.close();
            assertNull(pair.channel.await(0));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static void assertStartsWith(String text, byte[] data) {
        assertArrayEquals(bytes(text), Arrays.copyOf(data, text.length()));
    }
}
