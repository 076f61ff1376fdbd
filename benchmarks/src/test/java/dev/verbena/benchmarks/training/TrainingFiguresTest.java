package dev.verbena.benchmarks.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.report.ShownPage;

/** What is said of runs that are made up. */
class TrainingFiguresTest {
    private static final TrainingCase FCN5 = new TrainingCase("fcn5", 2);
    private static final TrainingCase MLP = new TrainingCase("mlp", 1);
    private static final List<Double> LOSSES = Stream.iterate(2., loss -> loss * .97).limit(200).toList();

    private static TrainingFigures figures(double grpcPerSecond) {
        TrainingFigures figures = new TrainingFigures();
        for (TrainingCase trained : List.of(FCN5, MLP)) {
            for (int round = 0; round < 3; round++) {
                figures.add(trained, Transport.GRPC, new TrainingRun(grpcPerSecond, LOSSES, 7));
                figures.add(trained, Transport.ZERO_COPY, new TrainingRun(300 + round, LOSSES, 0));
                figures.add(trained, Transport.COPY, new TrainingRun(200, LOSSES, 7));
            }
        }
        return figures;
    }

    @Test
    void ratiosAreOfTheSameRoundAndTheGoalIsOfFcn5() throws Exception {
        TrainingFigures figures = figures(100);
        assertEquals(1.505, figures.timesFaster(FCN5, Transport.COPY).median(), 1e-9);
        assertEquals(List.of("fcn5, 2 workers: zerocopy / grpc is 3.0, target >= 3: met"),
                figures.table().subList(3, 4));
        assertEquals("MISSED", figures(101).goals().getFirst().verdict());
        Map<String, Object> json = JSON.std.mapFrom(figures.json());
        assertEquals(6, ((List<?>) json.get("figures")).size());
        assertTrue(json.get("machine").toString().contains("processors"), json.get("machine")::toString);
    }

    @Test
    void anotherCurveIsADefect() {
        TrainingFigures figures = figures(100);
        List<Double> others = LOSSES.subList(0, LOSSES.size() - 1);
        assertEquals(
                "fcn5, 2 workers by copy has other losses than another run of the same: a tensor was changed on its"
                        + " way",
                assertThrows(IllegalStateException.class,
                        () -> figures.add(FCN5, Transport.COPY, new TrainingRun(1, others, 0))).getMessage());
    }

    @Test
    void figuresOfTrainAreRead() throws Exception {
        TrainingRun run = TrainingRun.parse("""
                {"lossCurve": [2.5, 2], "imagesPerSecond": 64, "senderCopies": {"firstIteration": 3, "later": 12}}
                """);
        assertEquals(new TrainingRun(64, List.of(2.5, 2.), 12), run);
        assertEquals(2, run.seconds(1, 2), "two workers with 32 images each, twice");
    }

    @Test
    void eachTransportIsDrawnAndNoLabelsOverlap(@TempDir Path folder) throws Exception {
        String page = TrainingPage.of(figures(20), false);
        ShownPage.assertNothingIsFetched(page);
        assertTrue(page.contains("<th scope=\"row\">fcn5, 2 workers: zerocopy / grpc</th><td>met</td>"), page);
        ShownPage shown = ShownPage.open(page, folder);
        assertEquals(2 * Transport.values().length, shown.lines());
    }
}
