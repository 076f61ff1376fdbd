package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Heaps that keep more idle than they may, by the steps of one thread that is each of them in turn: runs are swept, put aside and taken
 * over, slabs go and come, and after each of that all adds up. Two mistakes in how a heap is trimmed are caught.
 */
class SweepProperties {
    private static final int HEAPS = 2;
    private static final int STEPS = 24_000;
    private static final long SLAB_PAGES = 64 * 1024;
    /** Of few classes, so that bins are long; together more than {@link SlotHeap#CACHED_BYTE_SIZE}. */
    private static final long[] SIZES = {64, 1_000, 5_000, 9_000, 20_000, 40_000};
    private static final int LIVE_MAX = 3_000;

    /** What one run of steps reached. */
    private static final class Reached {
        private int sweeps;
        private int asides;
        private int takeOvers;
        private int slabs;
    }

    /** A heap with, or without, a mistake. */
    private interface Maker {
        SlotHeap make(CentralHeap central, Reached reached);
    }

    /** Counts. */
    private static class Counting extends SlotHeap {
        private final Reached reached;

        Counting(CentralHeap central, Reached reached) {
            super(central, new ReentrantLock());
            this.reached = reached;
        }

        @Override
        IdleRuns idleRuns(SlotBins bins) {
            return new IdleRuns(this, bins) {
                @Override
                void sweep(long bin) {
                    reached.sweeps++;
                    super.sweep(bin);
                    reached.asides += SlotBins.first(SlotBins.aside(bin)) == 0 ? 0 : 1;
                }
            };
        }

        @Override
        boolean takeOver(SlotHeap other, int sizeClass) {
            boolean isDone = super.takeOver(other, sizeClass);
            reached.takeOvers += isDone ? 1 : 0;
            return isDone;
        }
    }

    @Property(tries = 20)
    void whateverIsSweptPutAsideOrTakenOverAddsUp(@ForAll long seed) {
        Reached reached = run(Counting::new, seed);
        assertTrue(reached.sweeps > 0 && reached.asides > 0 && reached.takeOvers > 0 && reached.slabs > 2,
                () -> "sweeps=" + reached.sweeps + " asides=" + reached.asides + " takeOvers=" + reached.takeOvers
                        + " slabs=" + reached.slabs);
    }

    @Example
    void keepingASlabThatIsGoneIsCaught() {
        assertThrows(AssertionError.class, () -> run((central, reached) -> new Counting(central, reached) {
            @Override
            void forgetSlab() {
                // The mistake.
            }
        }, 1));
    }

    @Example
    void trimmingNothingThatWasPutAsideIsCaught() {
        assertThrows(AssertionError.class, () -> run((central, reached) -> new Counting(central, reached) {
            @Override
            IdleRuns idleRuns(SlotBins bins) {
                return new IdleRuns(this, bins) {
                    @Override
                    void giveBackAside(long bin) {
                        // The mistake.
                    }
                };
            }
        }, 1));
    }

    private static Reached run(Maker maker, long seed) {
        Reached reached = new Reached();
        new Steps(maker, reached, new Random(seed)).run();
        return reached;
    }

    /** One arena's worth of heaps. */
    private static final class Steps {
        private final CentralHeap central = new CentralHeap(new PageRuns(), 1L << 32);
        private final List<SlotHeap> heaps = new ArrayList<>();
        private final Reached reached;
        private final Random random;
        /** From each block's address to its end. */
        private final TreeMap<Long, Long> live = new TreeMap<>();
        private final List<Long> addresses = new ArrayList<>();

        Steps(Maker maker, Reached reached, Random random) {
            this.reached = reached;
            this.random = random;
            for (int i = 0; i < HEAPS; i++) {
                heaps.add(maker.make(central, reached));
            }
        }

        void run() {
            int liveWanted = LIVE_MAX;
            for (int step = 1; step <= STEPS; step++) {
                SlotHeap heap = heaps.get(random.nextInt(HEAPS));
                if (step % 2_000 == 0) {
                    liveWanted = random.nextInt(LIVE_MAX);
                }
                if (random.nextInt(1_000) == 0) {
                    takeOver();
                } else if (random.nextInt(2 * liveWanted + 1) < addresses.size()) {
                    free(heap);
                } else {
                    allocate(heap);
                }
                if (step % 400 == 0) {
                    check();
                }
                if (step % 6_000 == 0) {
                    end();
                }
            }
            end();
        }

        private void allocate(SlotHeap heap) {
            long byteSize = SIZES[random.nextInt(SIZES.length)];
            long address = heap.allocateAny(byteSize);
            if (address == 0) {
                long at = (1L << 40) + central.slabs().size() * 2 * SLAB_PAGES * SizeClasses.PAGE_BYTE_SIZE;
                central.add(() -> MemorySegment.ofAddress(at), SLAB_PAGES, false);
                reached.slabs++;
                address = heap.allocateAny(byteSize);
            }
            var before = live.lowerEntry(address + byteSize);
            assertTrue(before == null || before.getValue() <= address, "two blocks at one place");
            live.put(address, address + byteSize);
            addresses.add(address);
        }

        private void free(SlotHeap heap) {
            int index = random.nextInt(addresses.size());
            long address = addresses.set(index, addresses.getLast());
            addresses.removeLast();
            live.remove(address);
            assertTrue(heap.free(address));
        }

        private void takeOver() {
            heaps.forEach(SlotHeap::takeReturned);
            heaps.forEach(SlotHeap::endRooms);
            heaps.get(0).takeOver(heaps.get(1), SizeClasses.indexOf(SIZES[random.nextInt(SIZES.length)]));
        }

        private void check() {
            heaps.forEach(SlotHeap::takeReturned);
            assertTrue(new ArenaCheck(central).confirms(heaps.stream().mapToLong(SlotHeap::liveByteSize).sum(),
                    addresses.size()));
        }

        /** Everything is freed and trimmed; the slabs go. */
        private void end() {
            while (!addresses.isEmpty()) {
                free(heaps.get(random.nextInt(HEAPS)));
            }
            heaps.forEach(SlotHeap::trim);
            check();
            assertEquals(central.slabs().size(), central.pages.free.runCount(), "one free run for each slab");
            int count = central.slabs().size();
            assertEquals(count, central.removeIdle(0).size());
            check();
        }
    }
}
