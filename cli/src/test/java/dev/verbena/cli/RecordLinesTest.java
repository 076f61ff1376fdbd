package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.training.IterationTimes;
import dev.verbena.training.TrainingResult;
import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/** What is written is read again, and what is none of it is left to who prints it. */
class RecordLinesTest {
    static Stream<TaskMessage> messages() {
        return Stream.of(new TaskMessage.Listening(new Endpoint("::1", 7)),
                new TaskMessage.Progress(3, Double.NaN, Double.POSITIVE_INFINITY),
                new TaskMessage.Validated(new Validation(9, .1, Double.NaN)),
                new TaskMessage.Failed(true, "no \"room\"\nfor\u2028it"), new TaskMessage.Failed(false, null));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageIsReadAsItWasWritten(TaskMessage message) {
        String line = RecordLines.write(message);
        assertFalse(line.contains("\n"), line);
        assertEquals(message, RecordLines.read(TaskMessage.class, line));
        assertNull(RecordLines.read(LauncherOrder.class, line));
    }

    @Test
    void soIsAReport() {
        IterationTimes.Share share = new IterationTimes.Share(1L << 60, 2, 3, 4, new long[]{5, Long.MAX_VALUE});
        TrainingResult result = new TrainingResult("worker:0", new double[]{.1, Double.NaN}, Double.NaN, 1e300, 3,
                new SessionStatistics(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), 13, 14, true,
                new IterationTimes(15, share, share, share, 16), List.of(new Validation(17, .5, .25)));
        TaskMessage message = RecordLines.read(TaskMessage.class,
                RecordLines.write(new TaskMessage.Finished(new TaskReport(result, 18, 19))));
        TaskReport read = ((TaskMessage.Finished) message).report();
        assertArrayEquals(result.lossCurve(), read.result().lossCurve());
        assertArrayEquals(share.pointsNs(), read.result().times().waiting().pointsNs());
        assertEquals(result.session(), read.result().session());
        assertEquals(result.validations(), read.result().validations());
        assertEquals(new TaskReport(read.result(), 18, 19), read);
        assertEquals(result.testAccuracy(), read.result().testAccuracy());
        assertEquals(result.testPerplexity(), read.result().testPerplexity());
        assertEquals(share.totalNs(), read.result().times().computing().totalNs());
    }

    @Test
    void tasksStayInTheirOrder() {
        Map<String, Endpoint> cluster = new LinkedHashMap<>();
        List.of("server:0", "worker:1", "worker:0").forEach(task -> cluster.put(task, new Endpoint("a", 1)));
        LauncherOrder read = RecordLines.read(LauncherOrder.class, RecordLines.write(new LauncherOrder.Start(cluster)));
        Map<String, Endpoint> readCluster = ((LauncherOrder.Start) read).cluster();
        assertEquals(cluster, readCluster);
        assertEquals(List.copyOf(cluster.keySet()), List.copyOf(readCluster.keySet()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Listening", "Listening {", "Listening at last", "{\"event\":\"listening\"}",
            "Finished {\"report\":7}", "Unknown {}"})
    void whatElseIsPrintedIsNone(String line) {
        assertNull(RecordLines.read(TaskMessage.class, line));
    }
}
