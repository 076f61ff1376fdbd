package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

/** What can be asked of a device and a queue pair besides the basic attributes. */
class DeviceQueriesOnDevice {
    private static final int DEFAULT_PARTITION_KEY = 0xffff;

    private final TestDevice device = new TestDevice();

    @AfterEach
    void close() {
        device.close();
    }

    @Test
    void extendedAttributes() {
        ExtendedDeviceAttributes attributes = device.context.queryExtended();
        assertEquals(device.context.query().limits(), attributes.limits());
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void softRoceExtendsNothing() {
        ExtendedDeviceAttributes attributes = device.context.queryExtended();
        assertFalse(attributes.hasOnDemandPaging());
        assertEquals(Set.of(), attributes.onDemandReliableConnected());
        assertEquals(0, attributes.timestampMask());
        assertEquals(0, attributes.moderationCountMax());
    }

    @Test
    @Needs(Need.PARTITION_KEYS)
    void partitionKeys() {
        int port = device.port.number();
        assertEquals(DEFAULT_PARTITION_KEY, device.context.partitionKey(port, 0));
        assertEquals(OptionalInt.of(0), device.context.partitionKeyIndex(port, DEFAULT_PARTITION_KEY));
        assertEquals(OptionalInt.empty(), device.context.partitionKeyIndex(port, 0x1234));
        VerbsException failed = assertThrows(VerbsException.class, () -> device.context.partitionKey(port, 9999));
        assertTrue(failed.getMessage().startsWith("ibv_query_pkey failed: "), failed.getMessage());
        assertTrue(failed.getMessage().contains("index=9999"), failed.getMessage());
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void softRoceDoesNotPromiseWritesInOrder() {
        CompletionQueue queue = device.queue();
        QueuePair one = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        QueuePair other = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
        device.connect(one, other);
        assertFalse(one.writesInOrder());
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void softRoceHasNothingToEnhanceAConnectionWith() {
        QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, device.queue());
        VerbsException query = assertThrows(VerbsException.class, pair::enhancedConnection);
        assertEquals(rdma_core_h.EOPNOTSUPP(), query.errno());
        VerbsException set = assertThrows(VerbsException.class, () -> pair.enhance(new EnhancedConnection(0x2c9, 1)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), set.errno());
        assertTrue(set.getMessage().contains("vendorId=713"), set.getMessage());
    }
}
