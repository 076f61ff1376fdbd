package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which answers of a device meet which needs. */
class NeedTest {
    private static final DeviceFacts NOTHING = new DeviceFacts(TransportType.UNSPECIFIED, LinkLayer.UNSPECIFIED,
            Driver.ANOTHER, limits(0, 0, 0, 0, 0), Set.of());
    /** What is lacking with soft-iWARP only. */
    private static final Set<Need> OF_MOST = EnumSet.of(Need.SOLICITED_EVENTS, Need.ZERO_BASED_REGIONS);
    private static final DeviceFacts ALL = new DeviceFacts(TransportType.INFINIBAND, LinkLayer.ETHERNET,
            Driver.ANOTHER, limits(1, 1, 1, 1, -1), EnumSet.allOf(Trial.class));

    private static DeviceLimits limits(int atomicCapability, int memoryWindows, int sharedReceiveQueues,
            int partitionKeys, int capabilityFlags) {
        return new DeviceLimits(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, memoryWindows, 0, sharedReceiveQueues, 0, 0,
                partitionKeys, capabilityFlags, atomicCapability);
    }

    private static Set<Need> met(DeviceFacts facts) {
        Set<Need> met = EnumSet.noneOf(Need.class);
        for (Need need : Need.values()) {
            if (need.isMetBy(facts)) {
                met.add(need);
            }
        }
        return met;
    }

    @Test
    void aDeviceThatSaysNothingMeetsNothingAndOneThatSaysAllMeetsAllOfItsTransport() {
        assertEquals(OF_MOST, met(NOTHING));
        assertEquals(EnumSet.complementOf(EnumSet.of(Need.IWARP, Need.SOFT_ROCE)), met(ALL));
    }

    @Test
    void eachAttributeMeetsItsOwn() {
        check(limits(1, 0, 0, 0, 0), Need.ATOMICS);
        check(limits(0, 1, 0, 0, 0));
        check(limits(0, 1, 0, 0, Need.MEMORY_WINDOW_FLAG), Need.MEMORY_WINDOWS);
        check(limits(0, 1, 0, 0, Need.MEMORY_WINDOW_FLAG | Need.MEMORY_WINDOW_2A_FLAG), Need.MEMORY_WINDOWS,
                Need.MEMORY_WINDOWS_OF_TYPE_2);
        check(limits(0, 1, 0, 0, Need.MEMORY_WINDOW_FLAG | Need.MEMORY_WINDOW_2B_FLAG), Need.MEMORY_WINDOWS,
                Need.MEMORY_WINDOWS_OF_TYPE_2);
        check(limits(0, 0, 1, 0, 0), Need.SHARED_RECEIVE_QUEUES);
        check(limits(0, 0, 1, 0, Need.SHARED_RECEIVE_QUEUE_RESIZE_FLAG), Need.SHARED_RECEIVE_QUEUES,
                Need.SHARED_RECEIVE_QUEUE_RESIZING);
        check(limits(0, 0, 0, 1, 0), Need.PARTITION_KEYS);
        check(limits(0, 0, 0, 0, Need.RECEIVER_NOT_READY_FLAG), Need.RECEIVER_NOT_READY);
    }

    private static void check(DeviceLimits limits, Need... needs) {
        Set<Need> expected = EnumSet.copyOf(OF_MOST);
        expected.addAll(List.of(needs));
        assertEquals(expected,
                met(new DeviceFacts(NOTHING.transport(), NOTHING.linkLayer(), NOTHING.driver(), limits, Set.of())));
    }

    @ParameterizedTest
    @EnumSource(Trial.class)
    void eachTrialMeetsOne(Trial trial) {
        Set<Need> met = met(new DeviceFacts(NOTHING.transport(), NOTHING.linkLayer(), NOTHING.driver(),
                NOTHING.limits(), Set.of(trial)));
        met.removeAll(OF_MOST);
        assertEquals(1, met.size(), met::toString);
    }

    @Test
    void whyATestIsSkippedNamesTheDeviceAndTheNeeds() {
        assertEquals("", NeedsCondition.describe("x0", List.of()));
        String said = NeedsCondition.describe("x0", List.of(Need.ATOMICS, Need.IMMEDIATES));
        assertEquals("skipped: device=x0; needs ATOMICS: atomic operations; needs IMMEDIATES: sends and writes with"
                + " immediate", said);
        for (Need need : Need.values()) {
            assertTrue(need.toString().startsWith("needs " + need.name() + ": "), need::toString);
        }
    }
}
