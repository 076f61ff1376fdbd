package dev.verbena.testing.scaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;

import org.junit.jupiter.api.Test;

/** The tables of {@code docs/SCALING.md} are what {@link ScalingModel} and {@link StepTime} say, cell by cell. */
class ScalingDocumentTest {
    private static final double MIB = 1 << 20;
    /** Of ConnectX devices; the document says so. */
    private static final long DEVICE_ENTRIES_MAX = 4_194_303;
    private static final StepTime STEP = new StepTime(100_000_000, 12.5e9);
    private static final double STEP_LATENCY_US = 10;

    @Test
    void serversTakeWhatTheModelSays() {
        assertSame("## A parameter server", workers -> {
            ScalingModel server = ScalingModel.server(workers, 1);
            return List.of(number(server.connections()), number(server.queuePairs()), number(server.receives()),
                    number(server.completionEntries()), controlMemory(server), regions(server),
                    number(server.messages()), mib(server.linksByteSize()),
                    number(server.descriptorsOfConnectionsOnShm()), number(server.completionQueuesOnShm()));
        });
    }

    @Test
    void workersTakeWhatTheModelSays() {
        assertSame("## A worker", servers -> {
            ScalingModel worker = ScalingModel.worker(servers, servers);
            return List.of(number(worker.connections()), number(worker.queuePairs()), number(8 * worker.queuePairs()),
                    controlMemory(worker), regions(worker), number(worker.callsMade()));
        });
    }

    @Test
    void membersTakeWhatTheModelSays() {
        assertSame("## A member of a group", members -> {
            ScalingModel member = ScalingModel.member(members);
            return List.of(number(member.connections()), number(member.queuePairs()), number(8 * member.queuePairs()),
                    controlMemory(member), mib(ScalingModel.slotsByteSize(members)), number(member.callsMade()),
                    number(members * member.callsMade()));
        });
    }

    @Test
    void connectionsTakeWhatTheModelSays() {
        assertSame("## Queue depth", depth -> {
            ScalingModel one = new ScalingModel(1, 0, 0, 1, ScalingModel.QUEUE_PAIRS_PER_PEER, (int) depth);
            return List.of(number(one.receives()), number(one.completionEntries()), number(one.linkByteSize()),
                    number(DEVICE_ENTRIES_MAX / one.completionEntries()),
                    number(DEVICE_ENTRIES_MAX / one.completionEntries() / 2));
        });
    }

    @Test
    void stepsTakeWhatTheModelSays() {
        assertSame("## Time of a step", workers -> List.of(ms(STEP.serverMs(workers, 1)),
                ms(STEP.serverMs(workers, Math.max(1, workers / 16))), ms(STEP.serverMs(workers, workers)),
                ms(STEP.ringMs(workers, STEP_LATENCY_US))));
    }

    private interface Row {
        List<String> of(long size);
    }

    private static void assertSame(String heading, Row row) {
        List<List<String>> rows = DocumentTable.behind(heading).rows();
        assertTrue(rows.size() >= 4, heading);
        for (List<String> cells : rows) {
            assertEquals(row.of(DocumentTable.number(cells.getFirst())), cells.subList(1, cells.size()),
                    heading + ": " + cells.getFirst());
        }
    }

    private static String controlMemory(ScalingModel process) {
        return ifItFits(process, each -> mib(each.controlByteSize()));
    }

    private static String regions(ScalingModel process) {
        return ifItFits(process, each -> number(each.controlRegions()));
    }

    private static String ifItFits(ScalingModel process, Function<ScalingModel, String> cell) {
        return process.fitsControlMemory() ? cell.apply(process) : "too much";
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String mib(long byteSize) {
        return String.format(Locale.ROOT, "%,.1f", byteSize / MIB);
    }

    private static String ms(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
