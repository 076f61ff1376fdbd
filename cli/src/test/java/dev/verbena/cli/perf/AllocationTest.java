package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import com.sun.management.ThreadMXBean;

/** Nothing is allocated per message, on either side. */
@Timeout(120)
class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Round WARM_UP = new Round(64, 20, 32, false);
    private static final Round MEASURED = new Round(64, 20, 64, true);
    private static final Round ATOMIC_WARM_UP = new Round(8, 20, 32, false);
    private static final Round ATOMIC_MEASURED = new Round(8, 20, 64, true);

    @ParameterizedTest
    @EnumSource
    void noneWhileItRuns(PerfTest test) throws Exception {
        List<Round> rounds = test.isAtomic() ? List.of(ATOMIC_WARM_UP, ATOMIC_MEASURED) : List.of(WARM_UP, MEASURED);
        try (PerfPair pair = new PerfPair(test.toString(), "-s=" + rounds.getFirst().byteSize(), "-n=64")) {
            Future<List<Long>> serving = pair.start(() -> {
                Conversation conversation = pair.server.begin();
                List<Long> allocated = new ArrayList<>();
                for (Round ignored : rounds) {
                    Round round = conversation.next();
                    allocated.add(allocatedBy(conversation.join(round), round));
                }
                return allocated;
            });
            List<Long> client = PerfPair.await(pair.start(() -> {
                Conversation conversation = pair.client.begin();
                List<Long> allocated = new ArrayList<>();
                for (Round round : rounds) {
                    allocated.add(allocatedBy(conversation.announce(round), round));
                }
                return allocated;
            }));
            assertEquals(0, client.getLast(), "bytes for " + MEASURED + " at the client");
            assertEquals(0, PerfPair.await(serving).getLast(), "bytes for " + MEASURED + " at the server");
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
