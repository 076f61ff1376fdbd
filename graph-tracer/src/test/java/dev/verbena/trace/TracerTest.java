package dev.verbena.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.sun.management.ThreadMXBean;

import org.junit.jupiter.api.Test;

class TracerTest {
    /** Addresses from here on lie in registered memory. */
    private static final long REGISTERED = 1L << 32;

    private final Tracer tracer = tracer(Long.MAX_VALUE);

    private static Tracer tracer(long registeredByteSizeMax) {
        return Tracer.create(TracerOptions.defaults().withRegisteredByteSizeMax(registeredByteSizeMax),
                address -> address >= REGISTERED);
    }

    private static Set<String> registered(Tracer tracer) {
        return inState(tracer, SiteState.REGISTERED);
    }

    private static Set<String> inState(Tracer tracer, SiteState state) {
        return tracer.sites().stream().filter(site -> site.state() == state).map(SiteStatistics::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theSiteOfASentAddressIsRegisteredFromTheNextIterationOn() {
        tracer.enterNode("a");
        assertFalse(tracer.isRegistered(10));
        tracer.allocated(100, 10);
        tracer.allocated(200, 10);
        assertTrue(tracer.sent(200));
        tracer.enterNode("a");
        assertFalse(tracer.isRegistered(10));
        assertTrue(tracer.endIteration());
        assertEquals(Set.of("a#1"), registered(tracer));
        tracer.enterNode("a");
        assertFalse(tracer.isRegistered(10));
        tracer.allocated(100, 10);
        assertTrue(tracer.isRegistered(10));
        tracer.allocated(REGISTERED, 10);
        assertFalse(tracer.sent(REGISTERED));
        assertFalse(tracer.endIteration());
        assertEquals(new TracerStatistics(2, 2, 1, 0, 10, 2, 1, 0), tracer.statistics());
        assertEquals(new SiteStatistics("a#1", SiteState.REGISTERED, 2, 20, 10, 2, 1), tracer.sites().get(1));
    }

    @Test
    void whatIsReceivedWhereSomethingElseWasIsNobodys() {
        tracer.enterNode("a");
        assertTrue(tracer.reuse(REGISTERED)); // what was received there is changed in place, and freed, which nobody tells
        tracer.enterNode("b");
        tracer.allocated(100, 10);
        tracer.received(REGISTERED, 10);
        tracer.received(104, 10);
        assertFalse(tracer.sent(REGISTERED));
        assertTrue(tracer.sent(108));
        assertFalse(tracer.endIteration(), () -> "registered=" + registered(tracer));
        tracer.enterNode("a");
        assertTrue(tracer.reuse(REGISTERED));
        assertFalse(tracer.sent(REGISTERED));
        assertTrue(tracer.endIteration());
        assertEquals(Set.of("a#0"), registered(tracer));
    }

    @Test
    void theNewestSiteOfAnAddressWins() {
        tracer.enterNode("a");
        tracer.allocated(100, 50);
        tracer.enterNode("b");
        tracer.allocated(120, 10);
        tracer.sent(125);
        tracer.endIteration();
        assertEquals(Set.of("b#0"), registered(tracer));
        assertEquals(0, sends("a#0"));
        tracer.sent(105);
        assertEquals(0, sends("a#0"), "storage that something newer lies in has ended");
    }

    private long sends(String site) {
        return tracer.sites().stream().filter(each -> each.name().equals(site)).findFirst().orElseThrow().sends();
    }

    @Test
    void viewsLieWithinAnAllocation() {
        tracer.enterNode("a");
        tracer.allocated(100, 50);
        tracer.allocated(150, 50);
        tracer.allocated(300, 0);
        tracer.sent(149);
        tracer.sent(200);
        tracer.sent(99);
        tracer.endIteration();
        assertEquals(Set.of("a#0"), registered(tracer));
        tracer.sent(300);
        tracer.endIteration();
        assertEquals(Set.of("a#0", "a#2"), registered(tracer), "a tensor without elements has an address, too");
    }

    @Test
    void whatWasFreedIsNotSent() {
        tracer.enterNode("a");
        tracer.allocated(100, 10);
        tracer.freed(100);
        tracer.sent(100);
        tracer.allocated(200, 10);
        tracer.freedAll();
        tracer.sent(200);
        assertFalse(tracer.endIteration());
        assertEquals(Set.of(), registered(tracer));
        assertEquals(2, tracer.statistics().copies());
    }

    @Test
    void aReuseLeadsBackToTheAllocation() {
        tracer.enterNode("a");
        tracer.allocated(100, 10);
        tracer.enterNode("b");
        assertTrue(tracer.reuse(100));
        tracer.allocated(200, 10);
        tracer.sent(105);
        tracer.endIteration();
        assertEquals(Set.of("a#0", "b#0"), registered(tracer));
        assertEquals(2, tracer.statistics().sites(), "a site that only reused does not allocate");
        assertEquals(1, tracer.statistics().sitesRegistered());
        tracer.enterNode("b");
        tracer.allocated(300, 10);
        tracer.enterNode("b");
        assertFalse(tracer.reuse(300), "a registered site does not go on in ordinary memory");
        assertTrue(tracer.isRegistered(10), "and allocates as the same one instead");
        tracer.allocated(REGISTERED, 10);
        tracer.enterNode("b");
        assertTrue(tracer.reuse(REGISTERED));
    }

    @Test
    void storageThatGoesAroundInALoopIsOfItsSitesOnce() {
        tracer.enterNode("a");
        tracer.allocated(100, 10);
        for (int i = 0; i < 1000; i++) {
            tracer.enterNode(i % 2 == 0 ? "b" : "c");
            assertTrue(tracer.reuse(100));
        }
        tracer.sent(100);
        tracer.endIteration();
        assertEquals(Set.of("a#0", "b#0", "c#0"), registered(tracer));
    }

    @Test
    void unknownAddressesSayNothing() {
        tracer.enterNode("b");
        assertTrue(tracer.sent(100));
        assertTrue(tracer.reuse(100));
        assertFalse(tracer.endIteration());
        assertEquals(Set.of(), registered(tracer));
        tracer.sent(100);
        tracer.endIteration();
        assertEquals(Set.of("b#0"), registered(tracer), "but who works in received storage and sends it is known");
    }

    @Test
    void aChangeOfBehaviourIsLearnedInTheIterationOfTheChange() {
        for (int i = 1; i <= 20; i++) {
            String node = i < 10 ? "a" : "b";
            for (String each : List.of("a", "b")) {
                tracer.enterNode(each);
                boolean registered = tracer.isRegistered(10);
                long address = (registered ? REGISTERED : 0) + (each.equals("a") ? 100 : 200);
                tracer.allocated(address, 10);
                if (each.equals(node)) {
                    assertEquals(i == 1 || i == 10, tracer.sent(address), "iteration " + i);
                }
                tracer.freed(address);
            }
            tracer.endIteration();
            assertEquals(i == 1 || i == 10 ? 1 : 0, tracer.statistics().copiesLastIteration());
        }
    }

    @Test
    void storageOfAnEarlierIterationIsKnown() {
        tracer.enterNode("weights");
        tracer.allocated(100, 10);
        tracer.endIteration();
        tracer.endIteration();
        tracer.sent(100);
        assertTrue(tracer.endIteration());
        assertEquals(Set.of("weights#0"), registered(tracer));
    }

    @Test
    void theBudgetGoesToWhatSendsMostAndTheRestIsNamed() {
        Tracer limited = tracer(100);
        iterate(limited, "small", 30, 1);
        iterate(limited, "big", 90, 1);
        iterate(limited, "often", 20, 10);
        limited.endIteration();
        assertEquals(Set.of("often#0", "small#0"), registered(limited), "200, 90 and 30 bytes sent; 20 and 30 fit");
        assertEquals(Set.of("big#0"), inState(limited, SiteState.LEFT_OUT));
        assertEquals(1, limited.statistics().sitesLeftOut());
        assertEquals(50, limited.statistics().registeredByteSize());
        limited.enterNode("small");
        assertTrue(limited.isRegistered(30));
        limited.allocated(REGISTERED, 30);
        limited.enterNode("small");
        assertFalse(limited.isRegistered(1), "more than it has taken of the budget");
        limited.allocated(5000, 60);
        limited.sent(5000);
        limited.endIteration();
        assertEquals(Set.of("big#0", "small#0"), inState(limited, SiteState.LEFT_OUT),
                "it now takes 90, as big does, and neither fits beside often");
    }

    private static void iterate(Tracer tracer, String node, int byteSize, int sends) {
        tracer.enterNode(node);
        long address = node.hashCode() & 0xffff_ff00L;
        tracer.allocated(address, byteSize);
        for (int i = 0; i < sends; i++) {
            tracer.sent(address);
        }
    }

    @Test
    void aSecondExecutionCountsItsAllocationsAnew() {
        tracer.enterNode("a");
        tracer.allocated(100, 10);
        tracer.enterNode("a");
        tracer.allocated(200, 10);
        tracer.sent(100);
        tracer.endIteration();
        assertEquals(Set.of("a#0"), registered(tracer));
        assertEquals(1, tracer.statistics().sites());
        assertEquals(20, tracer.statistics().registeredByteSize());
    }

    @Test
    void threadsAllocateInNodesOfTheirOwn() throws Exception {
        int threadCount = 4;
        int perThread = 2000;
        try (ExecutorService threads = Executors.newFixedThreadPool(threadCount)) {
            List<Future<?>> ended = new ArrayList<>();
            for (int t = 0; t < threadCount; t++) {
                int thread = t;
                ended.add(threads.submit(() -> {
                    for (int i = 0; i < perThread; i++) {
                        long address = (thread * perThread + i + 1) * 64L;
                        tracer.enterNode("n" + thread + "." + i % 100);
                        tracer.allocated(address, 64);
                        if (i % 100 < 10) {
                            tracer.sent(address + 63);
                        }
                        if (i % 3 == 0) {
                            tracer.freed(address);
                        }
                    }
                }));
            }
            for (Future<?> each : ended) {
                each.get();
            }
        }
        tracer.endIteration();
        Set<String> expected = new TreeSet<>();
        for (int t = 0; t < threadCount; t++) {
            for (int i = 0; i < 10; i++) {
                expected.add("n" + t + "." + i + "#0");
            }
        }
        assertEquals(expected, registered(tracer));
        assertEquals(threadCount * perThread, tracer.sites().stream().mapToLong(SiteStatistics::allocations).sum());
        assertEquals(threadCount * perThread / 10, tracer.statistics().sends());
    }

    @Test
    void oneNodesAllocationsMayComeFromAnyThread() throws Exception {
        TracedNode node = tracer.node("n");
        node.enter();
        node.allocated(100, 10);
        Thread other = Thread.ofPlatform().start(() -> node.allocated(200, 10));
        other.join();
        tracer.sent(200);
        tracer.endIteration();
        assertEquals(Set.of("n#1"), registered(tracer));
    }

    /** In the best of some rounds: while the compiler works, the JVM allocates on a thread's behalf. */
    @Test
    void settledIterationsAllocateNothingOnTheHeap() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        String[] nodes = Stream.iterate(0, i -> i + 1).limit(200).map(i -> "n" + i).toArray(String[]::new);
        int roundsMax = 20;
        int round = 0;
        long least = Long.MAX_VALUE;
        for (; round < roundsMax && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 300; i++) {
                settled(nodes);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
        assertEquals(300 * round, tracer.statistics().iterations());
        assertEquals(20, tracer.statistics().sitesRegistered());
        assertEquals(20, tracer.statistics().copies());
    }

    /** In nodes and outside, in place and not, with views, frees and sends. */
    private void settled(String[] nodes) {
        for (int i = 0; i < nodes.length; i++) {
            if (i % 5 == 0) {
                tracer.leaveNode();
            } else {
                tracer.enterNode(nodes[i]);
            }
            long address = (tracer.isRegistered(64) ? REGISTERED : 0) + i * 64L;
            tracer.allocated(address, 64);
            if (i % 3 == 0) {
                tracer.enterNode("in place");
                tracer.reuse(address);
            }
            if (i % 10 == 1) {
                tracer.sent(address + 8);
            }
            if (i % 2 == 0) {
                tracer.freed(address);
            }
        }
        tracer.endIteration();
    }

    @Test
    void nothingOfGraphsIsKnownHere() throws IOException {
        Path sources = Path.of(System.getProperty("verbena.home"), "graph-tracer/src/main/java/dev/verbena/trace");
        int seen = 0;
        try (Stream<Path> files = Files.list(sources)) {
            for (Path file : files.toList()) {
                List<String> ours = Files.readAllLines(file).stream()
                        .filter(line -> line.matches("import (static )?dev\\.verbena\\..*")).toList();
                assertEquals(List.of(), ours, file.toString());
                seen++;
            }
        }
        assertTrue(seen > 10, "files: " + seen);
    }

    @Test
    void whereStorageLiesIsSaidOrAsked() {
        Tracer told = Tracer.create(TracerOptions.defaults());
        told.enterNode("a");
        told.allocated(100, 10);
        told.sent(100, true);
        assertTrue(told.endIteration());
        assertEquals(1, told.statistics().copies());
        String message = assertThrows(IllegalStateException.class, () -> told.sent(100)).getMessage();
        assertEquals("where address=64 lies is not known: say it along, or give Tracer.create a predicate", message);
        assertThrows(IllegalStateException.class, () -> told.reuse(100));
    }

    @Test
    void optionsRefuseWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new TracerOptions(-1, 8));
        assertThrows(IllegalArgumentException.class, () -> new TracerOptions(0, 0));
    }
}
