package dev.verbena.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.abi.rdma_conn_param;
import dev.verbena.verbs.abi.rdma_core_h;
import dev.verbena.verbs.abi.sockaddr_storage;

/** What of the connection manager needs no device: addresses, parameters, words; and that there is none. */
class ConnectionManagerTest {
    @Test
    void withoutTheKernelsPartItSaysWhatToLoad() {
        assumeTrue(CmEventChannel.unavailableReason() == null, CmEventChannel.unavailableReason());
        assumeTrue(Files.notExists(Path.of("/dev/infiniband/rdma_cm")), "this machine has a connection manager");
        VerbsException failed = assertThrows(VerbsException.class, CmEventChannel::create);
        assertTrue(failed.getMessage().contains("modprobe rdma_ucm"), failed::getMessage);
    }

    @Test
    void addressesAreLaidOutAsInC() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment ipv4 = SocketAddress.write(new InetSocketAddress("192.0.2.1", 0x1c06), arena);
            assertArrayEquals(HexFormat.of().parseHex("02001c06c0000201"),
                    ipv4.asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE));
            InetAddress linkLocal = InetAddress.getByName("fe80::1%3");
            MemorySegment ipv6 = SocketAddress.write(new InetSocketAddress(linkLocal, 0x1c06), arena);
            assertArrayEquals(
                    HexFormat.of().parseHex("0a001c0600000000fe80000000000000000000000000000103000000"),
                    ipv6.asSlice(0, 28).toArray(ValueLayout.JAVA_BYTE));
            assertEquals(MemorySegment.NULL, SocketAddress.write(null, arena));
            assertNull(SocketAddress.read(sockaddr_storage.allocate(arena)));
        }
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1,7174", "0.0.0.0,0", "2001:db8::1,65535", "fe80::1%3,1"})
    void addressesComeBack(String address, int port) {
        InetSocketAddress there = new InetSocketAddress(address, port);
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(there, SocketAddress.read(SocketAddress.write(there, arena)));
        }
    }

    @Test
    void aNameWithoutAnAddressIsRefused() {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere.invalid", 1);
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> SocketAddress.write(unresolved, Arena.ofAuto()));
        assertTrue(refused.getMessage().contains("nowhere.invalid"), refused::getMessage);
    }

    @Test
    void parametersComeBack() {
        ConnectionParameters there = new ConnectionParameters(1, 2, true, 3, 4, 0xabcdef, true, new byte[]{5, 6});
        try (Arena arena = Arena.ofConfined()) {
            ConnectionParameters back = ConnectionParameters.read(there.write(arena, 2));
            assertEquals(1, back.readsAcceptedMax());
            assertEquals(2, back.readsOutstandingMax());
            assertTrue(back.hasFlowControl());
            assertEquals(3, back.retryCount());
            assertEquals(4, back.receiverNotReadyRetry());
            assertEquals(0xabcdef, back.queuePairNumber());
            assertTrue(back.usesSharedReceiveQueue());
            assertArrayEquals(new byte[]{5, 6}, back.privateData());
            assertEquals(0, ConnectionParameters.read(rdma_conn_param.allocate(arena)).privateData().length);
        }
    }

    @Test
    void parametersOutOfRangeAreNamed() {
        ConnectionParameters defaults = ConnectionParameters.defaults();
        assertRefused("readsAcceptedMax=256", defaults.withReads(256, 0));
        assertRefused("readsOutstandingMax=-1", defaults.withReads(0, -1));
        assertRefused("retryCount=8", defaults.withRetries(8, 0));
        assertRefused("receiverNotReadyRetry=8", defaults.withRetries(0, 8));
        assertRefused("bytes=57", defaults.withPrivateData(new byte[57]));
    }

    private static void assertRefused(String text, ConnectionParameters parameters) {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> parameters.write(Arena.ofAuto(), CmPortSpace.RELIABLE.connectPrivateByteSizeMax()));
        assertTrue(refused.getMessage().contains(text), refused::getMessage);
    }

    @Test
    void privateDataIsNobodyElses() {
        byte[] data = {1};
        ConnectionParameters parameters = ConnectionParameters.defaults().withPrivateData(data);
        data[0] = 2;
        parameters.privateData()[0] = 3;
        assertEquals(1, parameters.privateData()[0]);
    }

    @ParameterizedTest
    @EnumSource
    void eachEventIsKnownByItsNumber(CmEventType type) {
        // The enum has them in C's order.
        assertSame(type, CmEventType.of(type == CmEventType.UNKNOWN ? 99 : type.ordinal()));
    }

    @Test
    void failuresSayWhyAndWhatToDo() {
        assertEquals(
                "REJECTED, reason=8 (nobody listens at that port): look whether the server runs and listens at that"
                        + " port.",
                CmFailure.describe(CmEventType.REJECTED, 8));
        assertTrue(CmFailure.describe(CmEventType.UNREACHABLE, -rdma_core_h.ETIMEDOUT())
                .startsWith("UNREACHABLE, errno=110 (ETIMEDOUT, timed out): look whether the peer's machine is up"));
        assertTrue(CmFailure.describe(CmEventType.REJECTED, -rdma_core_h.ECONNREFUSED()).contains("listens"));
        assertTrue(CmFailure.describe(CmEventType.REJECTED, -rdma_core_h.ECONNRESET())
                .contains("the program there refused, or ended"));
        assertTrue(CmFailure.describe(CmEventType.UNREACHABLE, -rdma_core_h.ETIMEDOUT()).contains("UDP port 4791"));
        assertTrue(CmFailure.describe(CmEventType.CONNECT_ERROR, -rdma_core_h.EINVAL()).endsWith(")."));
    }
}
