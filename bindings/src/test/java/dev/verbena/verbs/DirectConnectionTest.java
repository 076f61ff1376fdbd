package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import dev.verbena.verbs.ffi.Availability;

class DirectConnectionTest {
    private static final Gid GID = Gid.parse("::ffff:192.0.2.1");
    private static final GidEntry ENTRY = new GidEntry(3, GID, GidType.ROCE_V2, 2);
    private static final QueuePairAddress PEER = new QueuePairAddress(0x112233, 0x445566,
            Gid.parse("::ffff:192.0.2.2"), 0x7788, 2048, 16);

    private static Port port(LinkLayer linkLayer, GidEntry... gids) {
        return new Port(1, PortState.ACTIVE, 4096, 1024, 9, 0, 0, linkLayer, 1 << 30, List.of(gids));
    }

    private static DirectConnectionOptions options() {
        return new DirectConnectionOptions(port(LinkLayer.ETHERNET, ENTRY), ENTRY, 1024, 2, 3, 4,
                new Retries(5, 6, 7, 1), 8, 9, Set.of(AccessFlag.REMOTE_READ));
    }

    @Nested
    class AnAddress {
        @Test
        void travelsAsItsDrawingSays() {
            byte[] bytes = PEER.encode();
            assertEquals("00000000000000000000ffffc0000202" + "00112233" + "00445566" + "7788" + "0800" + "0010"
                    + "0001", HexFormat.of().formatHex(bytes));
            assertEquals(PEER, QueuePairAddress.decode(bytes));
            assertEquals(QueuePairAddress.BYTE_SIZE, bytes.length);
            QueuePairAddress largest = new QueuePairAddress(0xffffff, 0xffffff, Gid.ZERO, 0xffff, 4096, 255);
            assertEquals(largest, QueuePairAddress.decode(largest.encode()));
        }

        @ParameterizedTest
        @CsvSource({"16, 1, queuePairNumber=", "20, 1, packetSequence=", "26, 9, mtu=", "28, 1, readsAcceptedMax=",
                "30, 1, version="})
        void thatIsDamagedIsRefusedByName(int at, byte value, String name) {
            byte[] bytes = PEER.encode();
            bytes[at] = value;
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                    () -> QueuePairAddress.decode(bytes));
            assertTrue(refused.getMessage().startsWith(name), refused.getMessage());
        }

        @Test
        void ofAnotherLengthIsRefused() {
            String message = assertThrows(IllegalArgumentException.class, () -> QueuePairAddress.decode(new byte[31]))
                    .getMessage();
            assertEquals("bytes=31: the address of a queue pair has 32", message);
        }
    }

    @Nested
    class Options {
        @Test
        void outOfRangeAreRefusedByName() {
            refused("mtu=2048: port=1 carries bytes=1024 at most", () -> options().withMtu(2048));
            refused("mtu=1000: ", () -> options().withMtu(1000));
            refused("partitionKeyIndex=-1: give 0 to 65535", () -> options().withPartitionKeyIndex(-1));
            refused("serviceLevel=16: give 0 to 15", () -> options().withQuality(16, 0));
            refused("trafficClass=256: give 0 to 255", () -> options().withQuality(0, 256));
            refused("readsAcceptedMax=256", () -> options().withReads(256, 0));
            refused("readsOutstandingMax=-1", () -> options().withReads(0, -1));
            refused("access=[LOCAL_WRITE]", () -> options().withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
            refused("timeout=32: give 0 to 31", () -> Retries.defaults().withTimeout(32, 0));
            refused("count=8", () -> Retries.defaults().withTimeout(0, 8));
            refused("receiverNotReadyTimer=-1", () -> Retries.defaults().withReceiverNotReady(-1, 0));
            refused("receiverNotReadyCount=8", () -> Retries.defaults().withReceiverNotReady(0, 8));
        }

        private void refused(String begin, Executable call) {
            String message = assertThrows(IllegalArgumentException.class, call).getMessage();
            assertTrue(message.startsWith(begin), message);
        }

        @Test
        void changeOneThingAtATime() {
            DirectConnectionOptions options = options();
            assertEquals(256, options.withMtu(256).mtu());
            assertEquals(options, options.withMtu(256).withMtu(1024));
            assertEquals(options, options.withPartitionKeyIndex(5).withPartitionKeyIndex(2));
            assertEquals(options, options.withQuality(1, 1).withQuality(3, 4));
            assertEquals(options, options.withRetries(Retries.defaults()).withRetries(options.retries()));
            assertEquals(options, options.withReads(1, 1).withReads(8, 9));
            assertEquals(options, options.withAccess(Set.of()).withAccess(options.access()));
            assertEquals(options, options.withPort(options.port(), null).withPort(options.port(), ENTRY));
            Port slow = new Port(2, PortState.ACTIVE, 4096, 512, 9, 0, 0, LinkLayer.ETHERNET, 1, List.of(ENTRY));
            assertEquals(512, options.withPort(slow, ENTRY).mtu());
            assertEquals(new Retries(1, 2, 3, 4), Retries.defaults().withTimeout(1, 2).withReceiverNotReady(3, 4));
        }

        @Test
        void theBestGidIsChosenAndALinkLocalOneNever() {
            GidEntry linkLocal = new GidEntry(0, Gid.parse("fe80::1"), GidType.ROCE_V2, 2);
            GidEntry version1 = new GidEntry(1, GID, GidType.ROCE_V1, 2);
            GidEntry ipv6 = new GidEntry(2, Gid.parse("2001:db8::1"), GidType.ROCE_V2, 2);
            GidEntry second = new GidEntry(4, GID, GidType.ROCE_V2, 2);
            assertEquals(Optional.of(ENTRY),
                    port(LinkLayer.ETHERNET, linkLocal, version1, ipv6, second, ENTRY).bestGid());
            assertEquals(Optional.of(ipv6), port(LinkLayer.ETHERNET, linkLocal, version1, ipv6).bestGid());
            assertEquals(Optional.of(version1), port(LinkLayer.ETHERNET, linkLocal, version1).bestGid());
            assertEquals(Optional.empty(), port(LinkLayer.ETHERNET, linkLocal).bestGid());
            assertEquals(Optional.of(linkLocal), port(LinkLayer.INFINIBAND, linkLocal).bestGid());
            assertEquals(Optional.empty(), port(LinkLayer.ETHERNET, new GidEntry(0, Gid.ZERO, GidType.ROCE_V2, 2),
                    new GidEntry(1, GID, GidType.UNKNOWN, 2)).bestGid());
        }
    }

    /** Over a queue pair that no driver made: what it would be told. */
    @Nested
    class OfAQueuePair {
        @BeforeEach
        void needsTheLibrary() {
            assumeTrue(Availability.problem() == null, Availability::problem);
        }

        private DirectConnection connection(DirectConnectionOptions options) {
            return new DirectConnection(new StandInDevice(TransportType.INFINIBAND).queuePair, options,
                    new QueuePairAddress(1, 77, GID, 0, 1024, 8));
        }

        @Test
        void eachSettingGoesWhereItBelongs() {
            DirectConnection connection = connection(options());
            QueuePairAttributes receive = connection.toReadyToReceive(PEER);
            assertEquals(AddressVector.toGid(1, 3, PEER.gid()).withLid(0x7788).withQuality(3, 4),
                    receive.addressVector());
            assertEquals(1024, receive.mtu(), "the smaller of both");
            assertEquals(512, connection.toReadyToReceive(new QueuePairAddress(1, 2, GID, 0, 512, 1)).mtu());
            assertEquals(0x112233, receive.destination());
            assertEquals(0x445566, receive.receivePacketSequence());
            assertEquals(8, receive.readsAcceptedMax());
            assertEquals(7, receive.receiverNotReadyTimer());
            QueuePairAttributes send = connection.toReadyToSend(PEER);
            assertEquals(77, send.sendPacketSequence());
            assertEquals(9, send.readsOutstandingMax());
            assertEquals(1, connection.toReadyToSend(new QueuePairAddress(1, 2, GID, 0, 512, 1)).readsOutstandingMax(),
                    "no more than the peer takes");
            assertEquals(5, send.timeout());
            assertEquals(6, send.retryCount());
            assertEquals(1, send.receiverNotReadyRetry());
            QueuePairTransitions.check(QueuePairType.RELIABLE_CONNECTED, QueuePairState.INIT, receive);
            QueuePairTransitions.check(QueuePairType.RELIABLE_CONNECTED, QueuePairState.READY_TO_RECEIVE, send);
        }

        @Test
        void withoutAGidThePeerIsAddressedByItsLid() {
            AddressVector way = connection(options().withPort(options().port(), null)).toReadyToReceive(PEER)
                    .addressVector();
            assertEquals(AddressVector.toLid(1, 0x7788).withQuality(3, 4), way);
        }

        @Test
        void onIwarpItSaysThatConnectionsAreMadeThroughRdmaCm() {
            QueuePair pair = new StandInDevice(TransportType.IWARP).queuePair;
            for (VerbsException refused : List.of(
                    assertThrows(VerbsException.class, () -> DirectConnection.prepare(pair, options())),
                    assertThrows(VerbsException.class, () -> DirectConnection.prepare(pair)),
                    assertThrows(VerbsException.class, () -> DirectConnection.connect(pair, pair)))) {
                assertTrue(refused.getMessage().contains("transport=iWARP")
                        && refused.getMessage().contains("rdma_cm: connect by IP address and port, with CmConnection"),
                        refused.getMessage());
            }
        }

        @Test
        void ofTwoDevicesCannotBeConnectedAtOnce() {
            assertThrows(IllegalArgumentException.class,
                    () -> DirectConnection.connect(new StandInDevice(TransportType.INFINIBAND).queuePair,
                            new StandInDevice(TransportType.INFINIBAND).queuePair, options()));
        }
    }
}
