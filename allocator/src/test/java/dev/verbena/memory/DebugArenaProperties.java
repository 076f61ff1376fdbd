package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;

/**
 * A debug arena by any steps of one thread, scopes, aligned blocks and leases among them: what is right is never refused, what is
 * overrun is told once, by its own free, and nothing of that is in the way of what follows.
 */
class DebugArenaProperties {
    private static final long MIB = 1024 * 1024;
    private static final int STEPS = 400;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Property(tries = 60)
    void whatIsRightIsNeverRefused(@ForAll long seed, @ForAll @LongRange(max = MIB) long quarantineByteSizeMax) {
        new Steps(seed, quarantineByteSizeMax, false).run();
        assertEquals(0, source.heldByteSize());
    }

    @Property(tries = 60)
    void eachOverrunIsToldOnce(@ForAll long seed, @ForAll @LongRange(max = MIB) long quarantineByteSizeMax) {
        new Steps(seed, quarantineByteSizeMax, true).run();
        assertEquals(0, source.heldByteSize());
    }

    @Example
    void overrunsAreReached() {
        Steps steps = new Steps(1, MIB, true);
        steps.run();
        assertTrue(steps.overruns > 10, () -> "overruns=" + steps.overruns);
    }

    /** What a thread holds, and how it is given back. */
    private record Held(long address, long byteSize, boolean isOverrun, Runnable end) {}

    private final class Steps {
        private final Random random;
        private final boolean makesMistakes;
        private final DebugArena arena;
        private final List<Held> held = new ArrayList<>();
        private final TreeMap<Long, Long> live = new TreeMap<>();
        private int overruns;

        Steps(long seed, long quarantineByteSizeMax, boolean makesMistakes) {
            random = new Random(seed);
            this.makesMistakes = makesMistakes;
            arena = DebugArena.create(source, 0, 64 * MIB,
                    DebugOptions.defaults().withQuarantineByteSizeMax(quarantineByteSizeMax).withSiteDepth(1));
        }

        void run() {
            for (int i = 0; i < STEPS; i++) {
                if (!held.isEmpty() && random.nextInt(40) < held.size()) {
                    end(held.remove(random.nextInt(held.size())));
                } else {
                    begin(random.nextInt(5), random.nextInt(1 << random.nextInt(18)));
                }
                if (!makesMistakes) {
                    arena.check();
                }
            }
            while (!held.isEmpty()) {
                end(held.removeLast());
            }
            assertTrue(arena.isConsistent());
            assertEquals(0, arena.statistics().liveCount());
            assertEquals(List.of(), arena.liveBySite());
            arena.close();
        }

        private void begin(int kind, int byteSize) {
            switch (kind) {
                case 0 -> {
                    Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
                    add(tensor.address(), byteSize, tensor::close);
                }
                case 1 -> {
                    long alignment = 1L << random.nextInt(17);
                    long address = arena.allocateAddress(byteSize, alignment);
                    assertEquals(0, address % alignment);
                    add(address, byteSize, () -> arena.freeAddress(address));
                }
                case 2 -> {
                    TensorLease lease = TensorLease.owning(arena.allocate(ElementType.UINT8, Shape.of(byteSize)));
                    TensorLease other = lease.share();
                    long address = lease.address();
                    lease.close();
                    assertThrows(IllegalStateException.class, lease::close);
                    add(address, byteSize, other::close);
                }
                case 3 -> {
                    Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(byteSize));
                    TensorLease lease = TensorLease.of(tensor);
                    tensor.close();
                    add(lease.address(), byteSize, () -> {
                        assertTrue(lease.release());
                        assertFalse(lease.release());
                    });
                }
                default -> {
                    IterationScope scope = arena.scope(1);
                    scope.allocate(600);
                    scope.reset();
                    // As large as a block of its own, which is overrun like any.
                    MemorySegment segment = scope.allocate(Math.max(byteSize, 600));
                    add(segment.address(), segment.byteSize(), scope::close);
                }
            }
        }

        private void add(long address, long byteSize, Runnable end) {
            long wholeByteSize = Math.max(byteSize, 1);
            var before = live.lowerEntry(address + wholeByteSize);
            assertTrue(before == null || before.getValue() <= address, "overlap");
            live.put(address, address + wholeByteSize);
            boolean isOverrun = makesMistakes && random.nextInt(8) == 0;
            if (isOverrun) {
                overruns++;
                MemorySegment.ofAddress(address + byteSize).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            }
            held.add(new Held(address, byteSize, isOverrun, end));
        }

        private void end(Held one) {
            live.remove(one.address());
            if (one.isOverrun()) {
                assertThrows(DamagedMemoryException.class, one.end()::run);
            } else {
                one.end().run();
            }
        }
    }
}
