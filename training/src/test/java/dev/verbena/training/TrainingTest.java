package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TrainingTest {
    private static final Dataset DATA = Dataset.synthetic(1);
    private static final TrainingListener QUIET = (_, _, _) -> {};

    @Test
    void learnsDrawnDigits() {
        TrainingOptions options = options(1, 1, 3 * 5000 / 64, 64, false);
        List<Integer> heard = new ArrayList<>();
        TrainingResult result = Training.local(options, DATA, (iteration, loss, imagesPerSecond) -> {
            assertTrue(loss > 0 && imagesPerSecond > 0);
            heard.add(iteration);
        });
        assertEquals(IntStream.range(0, options.iterations()).boxed().toList(), heard);
        assertEquals(options.iterations(), result.lossCurve().length);
        assertTrue(mean(result.lossCurve(), 0, 20) > 3
                * mean(result.lossCurve(), options.iterations() - 20, options.iterations()));
        assertTrue(result.testAccuracy() > .9, "testAccuracy=" + result.testAccuracy());
        assertTrue(result.imagesPerSecond() > 0);
        assertEquals(options.iterations(), result.session().iterations());
        assertEquals(0,
                result.session().copiesFirst() + result.session().crossingByteSize() + result.registeredByteSize());
    }

    @Test
    void theSameSeedGivesTheSameCurveAndAnotherAnother() {
        TrainingOptions options = options(1, 1, 10, 32, false);
        double[] curve = Training.local(options, DATA, QUIET).lossCurve();
        assertArrayEquals(curve, Training.local(options, DATA, QUIET).lossCurve());
        TrainingOptions other = new TrainingOptions("mlp", 1, 1, 10, 32, 2, .4f, false);
        assertTrue(curve[0] != Training.local(other, DATA, QUIET).lossCurve()[0]);
    }

    @Test
    void oneWorkerIsOneProcessToTheLastBit() throws Exception {
        TrainingOptions options = options(1, 1, 60, 32, false);
        TrainingResult local = Training.local(options, DATA, QUIET);
        TrainingResult worker = Cluster.train(options, DATA).get("worker:0");
        assertArrayEquals(local.lossCurve(), worker.lossCurve());
        assertEquals(local.testAccuracy(), worker.testAccuracy());
    }

    @Test
    void twoWorkersFollowOneProcessWithTheJoinedBatch() throws Exception {
        double[] joined = Training.local(options(1, 1, 150, 64, false), DATA, QUIET).lossCurve();
        Map<String, TrainingResult> cluster = Cluster.train(options(2, 2, 150, 32, false), DATA);
        double[] mean = Cluster.meanLosses(cluster);
        for (int i = 0; i < joined.length; i++) {
            assertEquals(joined[i], mean[i], 1e-4 * joined[i], "iteration " + i);
        }
        assertTrue(cluster.get("worker:0").testAccuracy() > .8);
        assertTrue(Double.isNaN(cluster.get("worker:1").testAccuracy())
                && Double.isNaN(cluster.get("server:0").testAccuracy()));
    }

    @Test
    void sendersCopyInTheFirstIterationOnlyUnlessToldTo() throws Exception {
        TrainingOptions options = options(2, 1, 12, 16, false);
        Map<String, TrainingResult> zeroCopy = Cluster.train(options, DATA);
        Map<String, TrainingResult> copying = Cluster.train(options(2, 1, 12, 16, true), DATA);
        assertArrayEquals(Cluster.meanLosses(zeroCopy), Cluster.meanLosses(copying));
        for (String task : Training.tasks(options)) {
            assertTrue(zeroCopy.get(task).session().copiesFirst() > 0, task);
            assertEquals(0, zeroCopy.get(task).session().copiesLater(), task);
            assertTrue(copying.get(task).session().copiesLater() > 0, task);
            assertTrue(zeroCopy.get(task).registeredByteSize() > 0, task);
            assertEquals(12, zeroCopy.get(task).session().iterations(), task);
        }
        long parameterBytes = 4L * (784 * 256 + 256 * 10 + 256 + 10);
        assertEquals(2 * parameterBytes, zeroCopy.get("server:0").session().crossingByteSize());
        assertEquals(parameterBytes, zeroCopy.get("worker:1").session().crossingByteSize());
    }

    @Test
    void plansNoMoreThanTheTensorsThatCrossAndTheirSlots() {
        TrainingOptions options = options(2, 1, 1, 32, false);
        long crossing = 2 * 2 * 4L * (784 * 256 + 256 * 10 + 256 + 10);
        long planned = Training.plannedByteSize(options, DATA);
        assertTrue(planned >= crossing, "planned=" + planned);
        assertTrue(planned <= 1.25 * 2 * crossing, "planned=" + planned);
    }

    @Test
    void saysThatItDiverged() {
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 100, 32, 1, 1e38f, false);
        String message = assertThrows(IllegalStateException.class, () -> Training.local(options, DATA, QUIET))
                .getMessage();
        assertTrue(
                message.matches(
                        "training diverged: loss=\\S+ at iteration=\\d+; give a smaller learning rate than lr=1.0E38"),
                message);
    }

    @Test
    void refusesATaskThatIsNotInTheCluster() {
        String message = assertThrows(IllegalArgumentException.class,
                () -> Training.task(options(2, 1, 1, 1, false), DATA, "worker:2", Map.of(), null, QUIET)).getMessage();
        assertEquals("unknown task='worker:2'; known are server:0, worker:0, worker:1", message);
    }

    private static double mean(double[] curve, int from, int to) {
        return IntStream.range(from, to).mapToDouble(i -> curve[i]).average().orElseThrow();
    }

    private static TrainingOptions options(int workers, int servers, int iterations, int batch, boolean copy) {
        return new TrainingOptions("mlp", workers, servers, iterations, batch, 1, .4f, copy);
    }
}
