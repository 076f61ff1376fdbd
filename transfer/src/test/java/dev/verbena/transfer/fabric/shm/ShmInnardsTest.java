package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;

/** The parts that the contract does not reach from outside. */
@Timeout(60)
class ShmInnardsTest {
    private static final NetworkOptions NETWORK = NetworkOptions.defaults().withPeerTimeoutMs(0);
    private static MemorySegment memory(long byteSize) {
        return Arena.ofAuto().allocate(byteSize, 128);
    }

    @Test
    void theDoorbellGoesThroughItsStates() {
        MemorySegment memory = memory(Doorbell.BYTE_SIZE);
        Doorbell doorbell = new Doorbell(memory, 0);
        assertTrue(doorbell.prepareSleep());
        assertEquals(Doorbell.ASLEEP, (int) Words.INT.get(memory, 0L));
        doorbell.ring(1);
        assertEquals(Doorbell.RUNG, (int) Words.INT.get(memory, 0L));
        doorbell.sleep(Long.MAX_VALUE); // returns at once
        doorbell.endSleep();
        assertFalse(doorbell.prepareSleep(), "it stays rung until it is cleared");
        doorbell.clear();
        assertEquals(Doorbell.QUIET, (int) Words.INT.get(memory, 0L));
        assertTrue(doorbell.prepareSleep());
        doorbell.sleep(1_000); // time is up
        doorbell.endSleep();
        assertEquals(Doorbell.QUIET, (int) Words.INT.get(memory, 0L));
        doorbell.ringAndWake();
        assertEquals(Doorbell.RUNG, (int) Words.INT.get(memory, 0L));
    }

    @Test
    void theDoorbellSaysForWhomItWasRung() {
        MemorySegment memory = memory(2 * Doorbell.BYTE_SIZE);
        Doorbell doorbell = new Doorbell(memory, 0);
        assertFalse(doorbell.isRung());
        int last = Doorbell.PLACE_COUNT - 1;
        for (int place : new int[]{Doorbell.ALL, 5, 63, 64, last}) {
            doorbell.ring(place);
        }
        assertTrue(doorbell.isRung());
        assertTrue(doorbell.clear());
        assertFalse(doorbell.clear());
        assertEquals(1 | 1 << 5 | 1L << 63, doorbell.takeEffects(0));
        assertEquals(1, doorbell.takeEffects(64));
        assertEquals(1L << 63, doorbell.takeEffects(last & -Long.SIZE));
        assertEquals(0, doorbell.takeEffects(0), "each effect is taken once");
        assertEquals(0, (long) Words.LONG.get(memory, Doorbell.BYTE_SIZE), "the next doorbell's");
    }

    @Test
    void aPlaceThatLiesStandsForAll() {
        MemorySegment memory = memory(QueuePairHalf.byteSize(4));
        QueuePairHalf half = new QueuePairHalf(memory, 4);
        assertEquals(Doorbell.ALL, half.place(), "not said yet");
        for (int place : new int[]{1, Doorbell.PLACE_COUNT - 1}) {
            half.publishPlace(place);
            assertEquals(place, half.place());
        }
        for (int place : new int[]{-1, Integer.MIN_VALUE, Doorbell.PLACE_COUNT, Integer.MAX_VALUE}) {
            half.publishPlace(place);
            assertEquals(Doorbell.ALL, half.place());
        }
    }

    @Test
    void aClosedReceiveRingGivesNoMoreClaims() {
        ReceiveRing ring = new ReceiveRing(memory(ReceiveRing.byteSize(4)), 4);
        for (int i = 0; i < 3; i++) {
            ring.postRelease(i, 100 + i, 10 + i, 7, true);
        }
        assertEquals(3, ring.postedAcquire());
        assertTrue(ring.claim(0));
        assertFalse(ring.claim(0), "claimed already");
        assertTrue(ring.claim(1));
        ring.arriveRelease(0, Arrival.SEND, 5, 6);
        assertEquals(1, ring.arrivedAcquire());
        assertEquals(Arrival.SEND, ring.kind(0));
        assertEquals(5, ring.arrivedByteSize(0));
        assertEquals(6, ring.immediate(0));
        assertEquals(102, ring.address(2));
        assertEquals(2, ring.closeClaims());
        assertEquals(2, ring.closeClaims());
        assertFalse(ring.claim(2));
    }

    @Test
    void anArrivalThatCannotBeIsSaidToBeSo() {
        MemorySegment memory = memory(ReceiveRing.byteSize(1));
        ReceiveRing ring = new ReceiveRing(memory, 1);
        ring.postRelease(0, 100, 10, 7, true);
        for (long byteSize : new long[]{-1, Long.MIN_VALUE, 11, Long.MAX_VALUE}) {
            ring.arriveRelease(0, Arrival.SEND, byteSize, 0);
            assertEquals(Arrival.MALFORMED, ring.kind(0).checked(byteSize, 10), "byteSize=" + byteSize);
        }
        ring.arriveRelease(0, Arrival.TOO_SMALL, 11, 0);
        assertEquals(Arrival.TOO_SMALL, ring.kind(0).checked(11, 10));
        ring.arriveRelease(0, Arrival.WRITE_WITH_IMMEDIATE, 11, 0);
        assertEquals(Arrival.WRITE_WITH_IMMEDIATE, ring.kind(0).checked(11, 10), "its bytes are elsewhere");
        assertEquals(Arrival.MALFORMED, ring.kind(0).checked(-1, 10));
        for (int ordinal : new int[]{-1, Arrival.values().length, Integer.MAX_VALUE}) {
            assertEquals(Arrival.MALFORMED, Arrival.of(ordinal));
        }
    }

    @Test
    void theRegionTableTellsOnlyOfLiveRegions() {
        RegionTable table = new RegionTable(memory(RegionTable.ENTRY_COUNT * RegionTable.ENTRY_BYTE_SIZE));
        long key = 0x1234_5678_9abcL << RegionTable.INDEX_BITS | 1023;
        assertNull(table.readAcquire(key));
        assertNull(table.readAcquire(0), "an empty entry has no key");
        table.publishRelease(key, new FileIdentity(3, 4, 5), true, 1L << 40, 6, 0x7000, 1L << 33);
        assertEquals(new RegionTable.Entry(new FileIdentity(3, 4, 5), true, 1L << 40, 6, 0x7000, 1L << 33),
                table.readAcquire(key));
        assertNull(table.readAcquire(key + RegionTable.ENTRY_COUNT));
        table.revokeVolatile(key);
        assertNull(table.readAcquire(key));
    }

    @Test
    void textsAreCutAtACharacter() {
        MemorySegment memory = memory(16);
        Words.putText(memory, 0, 9, "aäöü");
        assertEquals("aäö", Words.text(memory, 0, 9));
        Words.putText(memory, 0, 9, "");
        assertEquals("", Words.text(memory, 0, 9));
        Words.INT.set(memory, 0L, Integer.MAX_VALUE);
        assertEquals("aäö", Words.text(memory, 0, 9), "a size that lies is cut too");
    }

    @Test
    void theRegionTableIsBoundedAndEntriesComeBack() {
        try (Fabric fabric = new ShmFabricProvider().open(NetworkOptions.defaults())) {
            List<MemoryRegion> regions = new ArrayList<>();
            for (int i = 0; i < RegionTable.ENTRY_COUNT; i++) {
                regions.add(fabric.register(8, EnumSet.noneOf(AccessRight.class)));
            }
            String message = assertThrows(TransferException.class,
                    () -> fabric.register(8, EnumSet.noneOf(AccessRight.class))).getMessage();
            assertTrue(message.contains("regions=" + RegionTable.ENTRY_COUNT), message);
            long key = regions.get(500).rkey();
            regions.get(500).close();
            try (MemoryRegion again = fabric.register(8, EnumSet.noneOf(AccessRight.class))) {
                assertEquals(RegionTable.index(key), RegionTable.index(again.rkey()));
                assertTrue(key != again.rkey(), "a key is not given out twice in a row");
            }
        }
    }

    /** What was made ready beside a port that is another's is no more in the way once that port is free. */
    @Test
    void aPortThatWasTakenCanBeListenedAtLater() throws Exception {
        try (ShmFabric fabric = ShmFabric.open(ShmFiles.ofEnvironment(), TimeUnit.SECONDS.toNanos(60), NETWORK)) {
            Endpoint endpoint;
            try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
                endpoint = new Endpoint("127.0.0.1", taken.getLocalPort());
                String message = assertThrows(TransferException.class,
                        () -> fabric.listen(endpoint, "early", new Nobody())).getMessage();
                assertTrue(message.contains("port " + endpoint.port() + " is in use"), message);
            }
            assertEquals(endpoint, fabric.listen(endpoint, "late", new Nobody()));
        }
    }

    @Test
    void whoDoesNotEndTheHandshakeIsToldSoAndHungUpOn() throws IOException {
        try (ShmFabric fabric = ShmFabric.open(ShmFiles.ofEnvironment(), TimeUnit.MILLISECONDS.toNanos(20), NETWORK)) {
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "impatient", new Nobody());
            try (Socket socket = new Socket(endpoint.host(), endpoint.port())) {
                socket.setSoTimeout(20_000);
                String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertTrue(said.endsWith("the handshake did not end within 20 ms"), said);
            }
        }
    }

    @Test
    void aThousandStrangersAtOnceAreAnswered() throws IOException {
        List<Socket> strangers = new ArrayList<>();
        try (ShmFabric fabric = ShmFabric.open(ShmFiles.ofEnvironment(), TimeUnit.SECONDS.toNanos(60), NETWORK)) {
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "patient", new Nobody());
            for (int i = 0; i < 1024; i++) {
                strangers.add(new Socket(endpoint.host(), endpoint.port()));
            }
            byte[] nonsense = new byte[64];
            for (Socket stranger : strangers) {
                stranger.setSoTimeout(20_000);
                stranger.getOutputStream().write(nonsense);
                assertTrue(stranger.getInputStream().read() >= 0, "it was hung up on before it said anything");
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** Nobody gets as far as to be asked for. */
    private static final class Nobody implements ConnectionHandler {
        @Override
        public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
            throw new AssertionError(peerName);
        }

        @Override
        public void onAccepted(Connection connection) {}

        @Override
        public void onLost(Connection connection, boolean orderly, String cause) {}
    }
}
