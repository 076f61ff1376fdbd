package dev.verbena.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Random programs beside an oracle that never looks at an address: each storage carries the sites that it went through, as objects. What
 * is sent is what the oracle says, neither less nor more.
 */
class TracerProperties {
    private static final long REGISTERED = 1L << 40;
    private static final long SLOTS = 1L << 41;

    /** What a program does, the same each time it is run. */
    private enum Action {
        ALLOCATE,
        TEMPORARY,
        IN_PLACE,
        FREE,
        SEND,
        RECEIVE
    }

    private record Step(String node, Action action, int choice, int byteSize) {}

    private static List<Step> program(Random random, int length) {
        List<Step> steps = new ArrayList<>();
        String node = "n0";
        for (int i = 0; i < length; i++) {
            boolean enters = random.nextInt(3) == 0;
            node = enters ? "n" + random.nextInt(6) : node;
            steps.add(new Step(enters ? node : null, Action.values()[random.nextInt(Action.values().length)],
                    random.nextInt(1 << 20), 1 + random.nextInt(64)));
        }
        return steps;
    }

    /** Memory in which whatever was freed last, or fits first, is handed out again, so that addresses mean something else each time. */
    private static final class Memory {
        private final long base;
        private final long byteSize;
        private final TreeMap<Long, Long> ends = new TreeMap<>();

        Memory(long base, long byteSize) {
            this.base = base;
            this.byteSize = byteSize;
        }

        long allocate(long bytes) {
            long address = base;
            for (Map.Entry<Long, Long> each : ends.entrySet()) {
                if (each.getKey() - address >= bytes) {
                    break;
                }
                address = each.getValue();
            }
            if (address + bytes > base + byteSize) {
                return -1;
            }
            ends.put(address, address + bytes);
            return address;
        }

        void free(long address) {
            ends.remove(address);
        }
    }

    /** Storage, and where it has been: what the oracle goes by. */
    private static final class Storage {
        final long address;
        final long byteSize;
        final boolean isFresh;
        final Memory memory;
        final Set<String> sites = new TreeSet<>();

        Storage(long address, long byteSize, boolean isFresh, Memory memory) {
            this.address = address;
            this.byteSize = byteSize;
            this.isFresh = isFresh;
            this.memory = memory;
        }
    }

    /** A runtime that obeys the tracer, and its oracle. */
    private static final class Runtime {
        final Tracer tracer;
        final Random timing;
        final boolean tellsFrees;
        final Memory ordinary = new Memory(1 << 12, Long.MAX_VALUE >> 24);
        final Memory registered;
        final List<Storage> live = new ArrayList<>();
        final Set<Storage> ofThisIteration = new HashSet<>();
        final Set<String> sent = new TreeSet<>();
        final Map<String, Long> sentByteSizes = new HashMap<>();
        long copies;
        long registeredByteSize;
        boolean hasNodes = true;
        private String node = "start";
        private int ordinal;
        private long slot = SLOTS;

        Runtime(Tracer tracer, long registeredByteSizeMax, boolean tellsFrees, Random timing) {
            this.tracer = tracer;
            this.registered = new Memory(REGISTERED, registeredByteSizeMax);
            this.tellsFrees = tellsFrees;
            this.timing = timing;
        }

        void run(List<Step> program, boolean freesAll) {
            copies = 0;
            registeredByteSize = 0;
            ofThisIteration.clear();
            enter("start");
            for (Step step : program) {
                if (step.node != null) {
                    enter(step.node);
                }
                execute(step);
            }
            while (freesAll && !live.isEmpty()) {
                free(live.removeLast());
            }
            tracer.endIteration();
            assertEquals(copies, tracer.statistics().copiesLastIteration());
        }

        private void enter(String id) {
            node = id;
            ordinal = 0;
            if (hasNodes) {
                tracer.enterNode(id);
            }
        }

        private void execute(Step step) {
            if (step.action == Action.ALLOCATE || live.isEmpty()) {
                live.add(allocate(step.byteSize));
                return;
            }
            int chosen = step.choice % live.size();
            Storage storage = live.get(chosen);
            switch (step.action) {
                case TEMPORARY -> free(allocate(step.byteSize));
                case IN_PLACE -> {
                    // Whether anybody else still reads it is a matter of timing.
                    if ((!hasNodes || timing.nextBoolean()) && tracer.reuse(storage.address)) {
                        storage.sites.add(node + "#" + ordinal++);
                    } else {
                        live.set(chosen, allocate(storage.byteSize));
                        free(storage);
                    }
                }
                case FREE -> {
                    live.remove(chosen);
                    free(storage);
                }
                case SEND -> send(storage, step.choice % storage.byteSize);
                case RECEIVE -> {
                    // A slot that a peer has written: nobody's allocation, in registered memory.
                    live.add(new Storage(slot, step.byteSize, true, null));
                    slot += step.byteSize;
                }
                default -> throw new AssertionError(step.action);
            }
        }

        /** Where no node is entered, a method for each. */
        private Storage allocate(long byteSize) {
            return switch (node) {
                case "n0" -> inFirst(byteSize);
                case "n1" -> inSecond(byteSize);
                case "n2" -> inThird(byteSize);
                default -> allocateHere(byteSize);
            };
        }

        private Storage inFirst(long byteSize) {
            return allocateHere(byteSize);
        }

        private Storage inSecond(long byteSize) {
            return allocateHere(byteSize);
        }

        private Storage inThird(long byteSize) {
            return allocateHere(byteSize);
        }

        private Storage allocateHere(long byteSize) {
            long address = tracer.isRegistered(byteSize) ? registered.allocate(byteSize) : -1;
            Memory memory = address < 0 ? ordinary : registered;
            registeredByteSize += address < 0 ? 0 : byteSize;
            address = address < 0 ? ordinary.allocate(byteSize) : address;
            tracer.allocated(address, byteSize);
            Storage storage = new Storage(address, byteSize, true, memory);
            storage.sites.add(node + "#" + ordinal++);
            ofThisIteration.add(storage);
            return storage;
        }

        private void free(Storage storage) {
            // A slot is told in any case: nobody tells when it is used again.
            if (tellsFrees || storage.memory == null) {
                tracer.freed(storage.address);
            }
            if (storage.memory != null) {
                storage.memory.free(storage.address);
            }
        }

        private void send(Storage storage, long offset) {
            // Of a slot only the beginning is known to the tracer, where it has been worked in.
            long address = storage.address + (storage.memory == null ? 0 : offset);
            boolean copied = tracer.sent(address);
            assertEquals(address < REGISTERED, copied);
            copies += copied ? 1 : 0;
            sent.addAll(storage.sites);
        }
    }

    private static Set<String> inState(Tracer tracer, SiteState... states) {
        return tracer.sites().stream().filter(site -> List.of(states).contains(site.state()))
                .map(SiteStatistics::name).collect(Collectors.toCollection(TreeSet::new));
    }

    @Property(tries = 500)
    void whatIsRegisteredIsWhatIsSent(@ForAll long seed, @ForAll @IntRange(min = 1, max = 120) int length,
            @ForAll boolean tellsFrees, @ForAll boolean isShort) {
        Random random = new Random(seed);
        Tracer tracer = Tracer.create(TracerOptions.defaults(), address -> address >= REGISTERED);
        Runtime runtime = new Runtime(tracer, isShort ? 300 : Long.MAX_VALUE >> 24, tellsFrees, random);
        for (int change = 0; change < 4; change++) {
            List<Step> program = program(random, length);
            for (int i = 0; i < 3; i++) {
                boolean freesAll = random.nextInt(4) > 0;
                runtime.run(program, freesAll);
                assertEquals(runtime.sent, inState(tracer, SiteState.REGISTERED), "seed=" + seed);
            }
        }
    }

    @Property(tries = 300)
    void copiesAreGoneInTheSecondIterationAfterEachChange(@ForAll long seed,
            @ForAll @IntRange(min = 1, max = 120) int length, @ForAll boolean tellsFrees) {
        Random random = new Random(seed);
        Tracer tracer = Tracer.create(TracerOptions.defaults(), address -> address >= REGISTERED);
        Runtime runtime = new Runtime(tracer, Long.MAX_VALUE >> 24, tellsFrees, random);
        for (int change = 0; change < 5; change++) {
            List<Step> program = program(random, length);
            runtime.run(program, true);
            // Whatever the timing of in-place operations, which is another one each time.
            for (int i = 0; i < 4; i++) {
                runtime.run(program, true);
                assertEquals(0, runtime.copies, "seed=" + seed);
            }
        }
    }

    @Property(tries = 300)
    void withoutNodesTheyAreGoneAsFast(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int length,
            @ForAll boolean tellsFrees, @ForAll boolean isOfOneSize) {
        Random random = new Random(seed);
        Tracer tracer = Tracer.create(TracerOptions.defaults(), address -> address >= REGISTERED);
        Runtime runtime = new Runtime(tracer, Long.MAX_VALUE >> 24, tellsFrees, random);
        runtime.hasNodes = false;
        for (int change = 0; change < 6; change++) {
            List<Step> program = program(random, length);
            if (isOfOneSize) {
                // So that the order alone does not show that the program has changed.
                program.replaceAll(step -> new Step(step.node, step.action, step.choice, 8));
            }
            runtime.run(program, true);
            for (int i = 0; i < 4; i++) {
                runtime.run(program, true);
                assertEquals(0, runtime.copies, "seed=" + seed + " change=" + change + " iteration=" + i);
            }
        }
    }

    @Property(tries = 300)
    void theBudgetHoldsAndGoesToTheLargestBenefit(@ForAll long seed,
            @ForAll @IntRange(min = 1, max = 120) int length, @ForAll @IntRange(max = 1500) int byteSizeMax) {
        Random random = new Random(seed);
        Tracer tracer = Tracer.create(TracerOptions.defaults().withRegisteredByteSizeMax(byteSizeMax),
                address -> address >= REGISTERED);
        Runtime runtime = new Runtime(tracer, Long.MAX_VALUE >> 24, true, random);
        for (int change = 0; change < 4; change++) {
            List<Step> program = program(random, length);
            for (int i = 0; i < 3; i++) {
                runtime.run(program, true);
                assertTrue(runtime.registeredByteSize <= byteSizeMax, "seed=" + seed);
                assertTrue(tracer.statistics().registeredByteSize() <= byteSizeMax, "seed=" + seed);
                assertEquals(runtime.sent, inState(tracer, SiteState.REGISTERED, SiteState.LEFT_OUT));
            }
        }
        long smallestLeftOut = tracer.sites().stream().filter(site -> site.state() == SiteState.LEFT_OUT)
                .mapToLong(SiteStatistics::iterationByteSizeMax).min().orElse(Long.MAX_VALUE);
        assertTrue(smallestLeftOut > byteSizeMax - tracer.statistics().registeredByteSize(),
                "what fits beside the others is registered, seed=" + seed);
    }

    /** The map beside a list of all that was ever put into it. */
    @Property(tries = 300)
    void theNewestThatHoldsAnAddressIsFound(@ForAll long seed, @ForAll @IntRange(min = 1, max = 600) int length) {
        Random random = new Random(seed);
        AddressMap map = new AddressMap();
        record Put(long address, long byteSize, Lineage lineage) {
            boolean overlaps(Put other) {
                return address < other.address + other.byteSize && other.address < address + byteSize;
            }
        }
        List<Put> live = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            long address = random.nextInt(2000);
            switch (random.nextInt(8)) {
                case 0 -> {
                    map.remove(address);
                    live.removeIf(each -> each.address == address);
                }
                case 1 -> {
                    if (random.nextInt(50) == 0) {
                        map.clear();
                        live.clear();
                    }
                }
                default -> {
                    Put put = new Put(address, 1 + random.nextInt(20), new Site(
                            new SiteKey(SiteKey.Kind.NODE, "n", i)).lineage(false));
                    map.put(address, put.byteSize, put.lineage);
                    live.removeIf(put::overlaps);
                    live.add(put);
                }
            }
            assertTrue(map.isConsistent());
            long asked = random.nextInt(2000);
            Lineage expected = live.stream()
                    .filter(each -> each.address <= asked && asked < each.address + each.byteSize)
                    .max(Comparator.comparing(each -> each.lineage.site().key())).map(Put::lineage).orElse(null);
            int place = map.find(asked);
            assertEquals(expected, place < 0 ? null : map.lineage(place), "seed=" + seed);
        }
    }
}
