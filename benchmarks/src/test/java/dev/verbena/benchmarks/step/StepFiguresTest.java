package dev.verbena.benchmarks.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.benchmarks.report.ShownPage;
import dev.verbena.benchmarks.training.Transport;

/** What is said of steps that are made up. */
class StepFiguresTest {
    private static final StepCase VGG = new StepCase(StepModel.named("vgg16"), 1);

    private static StepFigures figures(double grpcMillis) {
        StepFigures figures = new StepFigures();
        for (StepModel model : StepModel.ALL) {
            for (int workers = 1; workers <= 2; workers++) {
                for (int round = 0; round < 3; round++) {
                    StepCase measured = new StepCase(model, workers);
                    figures.add(measured, Transport.GRPC, grpcMillis * workers);
                    figures.add(measured, Transport.ZERO_COPY, (100 + round) * workers);
                    figures.add(measured, Transport.COPY, 204 * workers);
                }
            }
        }
        return figures;
    }

    @Test
    void ratiosAreOfTheSameRoundAndTheGoalIsOfVgg() throws Exception {
        StepFigures figures = figures(2525);
        assertEquals(204 / 101., figures.timesFaster(VGG, Transport.COPY).median(), 1e-9);
        assertEquals((2525 + 30.92) / (101 + 30.92),
                figures.timesFasterWithComputing(VGG, Transport.GRPC).median(), 1e-9);
        assertEquals(List.of("vgg16, 1 worker: grpc / zerocopy is 25.0, target >= 25: met",
                "vgg16, 2 workers: grpc / zerocopy is 25.0, target >= 25: met"), figures.table().subList(14, 16));
        assertEquals("MISSED", figures(2524).goals().getFirst().verdict());
        Map<String, Object> json = JSON.std.mapFrom(figures.json());
        assertEquals(36, ((List<?>) json.get("figures")).size());
    }

    /** For want of memory. */
    @Test
    void whatWasLeftOutIsNoNumber(@TempDir Path folder) throws Exception {
        StepFigures figures = figures(2525);
        StepCase four = new StepCase(VGG.model(), 4);
        figures.add(four, Transport.ZERO_COPY, 400);
        assertTrue(figures.table().get(13).matches("vgg16, 4 workers +512\\.32 +400\\.00 *"),
                figures.table()::toString);
        assertEquals("not measured", figures.goals().getLast().verdict());
        assertTrue(four.byteSize(Transport.GRPC) > four.byteSize(Transport.COPY));
        ShownPage.open(StepPage.of(figures, false), folder);
    }

    @Test
    void theNameOfASingleModelIsWhole(@TempDir Path folder) throws Exception {
        StepFigures figures = new StepFigures();
        for (Transport transport : Transport.values()) {
            figures.add(VGG, transport, 100);
        }
        ShownPage.open(StepPage.of(figures, false), folder);
    }

    @Test
    void eachModelIsDrawnAndNoLabelsOverlap(@TempDir Path folder) throws Exception {
        String page = StepPage.of(figures(3000), false);
        ShownPage.assertNothingIsFetched(page);
        assertTrue(page.contains("<th scope=\"row\">vgg16, 1 worker: grpc / zerocopy</th><td>met</td>"), page);
        assertTrue(page.contains("from the top: zerocopy, copy, grpc."), page);
        ShownPage shown = ShownPage.open(page, folder);
        assertTrue(shown.labels() > 2 * StepModel.ALL.size() * (1 + Transport.values().length), shown.labels() + "");
    }
}
