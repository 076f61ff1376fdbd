package dev.verbena.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that have no nodes: kernels are methods, and call one allocator. */
class CallSiteTest {
    private static final long REGISTERED = 1L << 32;

    @TempDir
    private Path folder;

    /** A small runtime: every kernel calls {@link #allocate}. */
    private static final class Program {
        private Tracer tracer = Tracer.create(TracerOptions.defaults(), Program::isRegistered);
        private final List<Long> live = new ArrayList<>();
        private long ordinary;
        private long registered = REGISTERED;
        private int registeredAllocations;

        static boolean isRegistered(long address) {
            return address >= REGISTERED;
        }

        private long allocate(long byteSize) {
            boolean isRegistered = tracer.isRegistered(byteSize);
            registeredAllocations += isRegistered ? 1 : 0;
            long address = isRegistered ? registered : ordinary;
            registered += isRegistered ? byteSize : 0;
            ordinary += isRegistered ? 0 : byteSize;
            tracer.allocated(address, byteSize);
            live.add(address);
            return address;
        }

        long add() {
            return allocate(64);
        }

        long multiply() {
            return allocate(64);
        }

        long large() {
            return allocate(4096);
        }

        void send(long address) {
            tracer.sent(address + 8);
        }

        long end() {
            live.forEach(tracer::freed);
            live.clear();
            tracer.endIteration();
            registeredAllocations = 0;
            return tracer.statistics().copiesLastIteration();
        }

        Set<String> registered() {
            return tracer.sites().stream().filter(site -> site.state() == SiteState.REGISTERED)
                    .map(site -> site.name().replaceAll("^.*? < .*?(\\w+)@.*(#\\d+)$", "$1$2"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private final Program program = new Program();

    private void addThenMultiply(boolean sendsProduct) {
        long sum = program.add();
        long product = program.multiply();
        program.send(sendsProduct ? product : sum);
    }

    @Test
    void framesTellSitesApartAlthoughAllCallOneAllocator() {
        addThenMultiply(true);
        assertEquals(1, program.end());
        assertEquals(Set.of("multiply#0"), program.registered());
        for (int i = 0; i < 5; i++) {
            addThenMultiply(true);
            assertEquals(1, program.registeredAllocations);
            assertEquals(0, program.end());
        }
    }

    @Test
    void theOrdinalTellsAllocationsOfALoopApart() {
        for (int iteration = 0; iteration < 3; iteration++) {
            for (int i = 0; i < 4; i++) {
                long sum = program.add();
                if (i == 2) {
                    program.send(sum);
                }
            }
            assertEquals(iteration == 0 ? 1 : 0, program.end());
            assertEquals(Set.of("add#2"), program.registered());
        }
    }

    @Test
    void anotherSendOfTheSameAllocationsIsLearnedInItsIteration() {
        for (int i = 1; i <= 20; i++) {
            addThenMultiply(i < 10);
            assertEquals(i == 1 || i == 10 ? 1 : 0, program.end(), "iteration " + i);
        }
        assertEquals(Set.of("add#0", "multiply#0"), program.registered());
    }

    @Test
    void otherAllocationsOfTheSameSizesAreLearnedInTheirIterationByTheirOwnSites() {
        for (int i = 1; i <= 20; i++) {
            if (i < 10) {
                program.add();
                program.send(program.add());
            } else {
                program.send(program.multiply());
                program.multiply();
            }
            assertEquals(i == 1 || i == 10 ? 1 : 0, program.end(), "iteration " + i);
            if (i > 11) {
                assertEquals(Set.of("add#0", "multiply#0"), program.registered());
                assertEquals(2, program.tracer.statistics().sitesRegistered(), "a guess that was wrong is taken back");
            }
        }
    }

    @Test
    void moreAndFewerAllocationsThanBeforeAreSeenAtOnce() {
        for (int i = 1; i <= 30; i++) {
            if (i >= 10 && i < 20) {
                program.large();
            }
            addThenMultiply(true);
            assertEquals(i == 1 ? 1 : 0, program.end(), "iteration " + i);
        }
        assertEquals(Set.of("multiply#0"), program.registered());
    }

    @Test
    void aRestartWithASavedTraceCopiesNothing() throws Exception {
        TracerOptions options = new TracerOptions(Long.MAX_VALUE, 3);
        program.tracer = Tracer.create(options, Program::isRegistered);
        addThenMultiply(program);
        assertEquals(1, program.end());
        Path file = folder.resolve("trace");
        program.tracer.save(file);
        Program restarted = new Program();
        restarted.tracer = Tracer.load(file, options, Program::isRegistered);
        assertEquals(program.registered(), restarted.registered());
        for (int i = 0; i < 3; i++) {
            addThenMultiply(restarted);
            assertEquals(1, restarted.registeredAllocations, "iteration " + i);
            assertEquals(0, restarted.end());
        }
        assertEquals(Set.of("multiply#0"), restarted.registered());
    }

    /** the same frames in both processes. */
    private static void addThenMultiply(Program program) {
        program.add();
        program.send(program.multiply());
    }

    @Test
    void threadsHaveOrdersOfTheirOwn() throws Exception {
        for (int i = 1; i <= 4; i++) {
            long[] copied = new long[1];
            Thread other = Thread.ofPlatform().start(() -> {
                program.large();
                copied[0] = program.multiply();
            });
            other.join();
            long sum = program.add();
            program.send(sum);
            program.send(copied[0]);
            assertEquals(i == 1 ? 2 : 0, program.end(), "iteration " + i);
        }
        assertEquals(Set.of("add#0", "multiply#0"), program.registered());
    }
}
