package dev.verbena.benchmarks;

import java.util.EnumSet;
import java.util.Set;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

import dev.verbena.memory.ArenaOptions;

/**
 * Whose time is taken. Another way into the arena is one more constant and its {@link Slots}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum Subject {
    VERBENA_ADDRESS("verbena-address", VerbenaAddressSlots::new),
    VERBENA_TENSOR("verbena-tensor", VerbenaTensorSlots::new),
    VERBENA_VIEW("verbena-view",
            (workload, slots) -> VerbenaTensorSlots.viewed(workload, slots, ArenaOptions.defaults())),
    VERBENA_ENDING_VIEW("verbena-ending-view",
            (workload, slots) -> VerbenaTensorSlots.viewed(workload, slots,
                    ArenaOptions.defaults().withViewsEndingWithTensors())),
    /** For requests that no hole fits; not compared with others. */
    VERBENA_HOLES("verbena-holes", VerbenaAddressSlots::withHoles),
    MIMALLOC_FFM("mimalloc-ffm", MimallocSlots::new),
    NETTY_POOLED("netty-pooled", (workload, slots) -> new NettySlots(PooledByteBufAllocator.DEFAULT, workload, slots)),
    NETTY_CACHED("netty-cached", NettySlots::cached),
    NETTY_ADAPTIVE("netty-adaptive",
            (workload, slots) -> new NettySlots(new AdaptiveByteBufAllocator(), workload, slots)),
    CONFINED_ARENA("confined-arena", ConfinedArenaSlots::new);

    /** In tables and in JSON. */
    final String label;
    private final Factory factory;

    private interface Factory {
        Slots open(Workload workload, int slotCount);
    }

    Subject(String label, Factory factory) {
        this.label = label;
        this.factory = factory;
    }

    /** Each beside the others. */
    static Set<Subject> compared() {
        return EnumSet.complementOf(EnumSet.of(VERBENA_HOLES));
    }

    /** For any thread of one benchmark; {@code slotCount} may exceed the workload's. */
    Slots open(Workload workload, int slotCount) {
        return factory.open(workload, slotCount);
    }
}
