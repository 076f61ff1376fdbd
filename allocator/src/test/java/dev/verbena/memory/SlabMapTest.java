package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

/** What every page of a slab is used for, and what is no such map. */
class SlabMapTest {
    private static final long PAGE = RunMap.PAGE_BYTE_SIZE;

    @Test
    void whatIsNoRunIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> RunMap.free(0, 0));
        assertThrows(IllegalArgumentException.class, () -> RunMap.free(-1, 1));
        assertThrows(IllegalArgumentException.class, () -> RunMap.large(0, Long.MAX_VALUE / PAGE + 1));
        assertThrows(IllegalArgumentException.class, () -> RunMap.slots(0, 1, 64, 65, 0));
        assertThrows(IllegalArgumentException.class, () -> RunMap.slots(0, 1, 64, 64, 65));
        assertThrows(IllegalArgumentException.class, () -> RunMap.slots(0, 1, 64, 64, -1));
        assertThrows(IllegalArgumentException.class, () -> RunMap.slots(0, 1, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new RunMap(0, 1, RunMap.Kind.FREE, 64, 1, 0));
    }

    @Test
    void runsWithAGapOrAnOverlapAreNoSlab() {
        for (long second : new long[]{3, 5}) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> new SlabMap(64, List.of(RunMap.free(0, 4), RunMap.large(second, 4)))).getMessage();
            assertTrue(message.contains("startPage=" + second) && message.contains("page=4"), message);
        }
        assertThrows(IllegalArgumentException.class, () -> new SlabMap(0, List.of(RunMap.free(1, 1))));
    }
}
