package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import com.sun.management.ThreadMXBean;

/** Nothing is allocated per message, on either side. What a JVM allocates once, as it links and compiles, is in some rounds only. */
@Timeout(120)
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int ROUNDS = 20;

    @ParameterizedTest
    @EnumSource
    void noneWhileItRuns(PerfTest test) throws Exception {
        assertNothingAllocated(test, "-n=64");
    }

    @ParameterizedTest
    @EnumSource(names = {"WRITE_BW", "READ_BW", "SEND_BW"})
    void noneForLists(PerfTest test) throws Exception {
        assertNothingAllocated(test, "-n=64", "-l=8", "-Q=8");
    }

    private static void assertNothingAllocated(PerfTest test, String... options) throws Exception {
        Round round = new Round(test, test.isAtomic() ? 8 : 64, 20, 64, true);
        List<String> words = new ArrayList<>(List.of(test.toString(), "-s=" + round.byteSize()));
        words.addAll(List.of(options));
        try (PerfPair pair = new PerfPair(words.toArray(String[]::new))) {
            Future<List<Long>> serving = pair.start(() -> {
                Conversation conversation = pair.server.begin();
                List<Long> allocated = new ArrayList<>();
                for (int i = 0; i < ROUNDS; i++) {
                    allocated.add(allocatedBy(conversation.join(conversation.next()), round));
                }
                return allocated;
            });
            List<Long> client = PerfPair.await(pair.start(() -> {
                Conversation conversation = pair.client.begin();
                List<Long> allocated = new ArrayList<>();
                for (int i = 0; i < ROUNDS; i++) {
                    allocated.add(allocatedBy(conversation.announce(round), round));
                }
                return allocated;
            }));
            assertEquals(0, Collections.min(client), "bytes in the least of rounds " + client + " at the client");
            List<Long> server = PerfPair.await(serving);
            assertEquals(0, Collections.min(server), "bytes in the least of rounds " + server + " at the server");
        }
    }

    private static long allocatedBy(Part part, Round round) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        Conversation.repeat(part, round);
        long after = THREADS.getCurrentThreadAllocatedBytes();
        assertTrue(before > 0, "this JVM counts allocated bytes");
        return after - before;
    }
}
