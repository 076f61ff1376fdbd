package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.training.data.ImageSet;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** However long that takes, also where no thread but the worker's own answers the servers; here until they have ended. */
    @Test
    void serversEndWhileAWorkerMeasures() throws Exception {
        CountDownLatch servers = new CountDownLatch(2);
        AtomicInteger asked = new AtomicInteger();
        ImageSet images = DATA.test();
        ImageSet test = new ImageSet(() -> {
            // Drawn before the training, then measured.
            if (asked.incrementAndGet() > 1) {
                await(servers);
            }
            return images.pixels();
        }, images.labels(), images.featureCount(), images.members());
        Map<String, TrainingResult> results = Cluster.train(options(1, 2, 3, 32, false),
                Dataset.of(DATA.train(), test, DATA.imageShape()), Progress.callers(), task -> {
                    if (task.startsWith("server")) {
                        servers.countDown();
                    }
                });
        assertTrue(asked.get() > 1);
        assertEquals(Training.local(options(1, 1, 3, 32, false), DATA, QUIET).testAccuracy(),
                results.get("worker:0").testAccuracy());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(30, TimeUnit.SECONDS), "servers still run");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void plansNoMoreThanTheTensorsThatCrossAndTheirSlots() {
        TrainingOptions options = options(2, 1, 1, 32, false);
        long crossing = 2 * 2 * 4L * (784 * 256 + 256 * 10 + 256 + 10);
        Graph graph = Training.graph(options, DATA, false);
        long planned = Training.plannedByteSize(Training.plan(graph, options, false, false), options);
        assertTrue(planned >= crossing, "planned=" + planned);
        assertTrue(planned <= 1.25 * 2 * crossing, "planned=" + planned);
    }

    @Test
    void plansNoSlotsForVariablesThatAreLent() {
        TrainingOptions options = new TrainingOptions("fcn5", 2, 1, 1, 32, 1, .1f, false);
        Graph graph = Training.graph(options, DATA, false);
        TransferPlan mapped = Training.plan(graph, options, false, true);
        long lent = mapped.transfers().stream().filter(transfer -> transfer.protocol() == TransferPlan.Protocol.LOAN)
                .mapToLong(TransferPlan.Transfer::byteSize).sum();
        assertTrue(lent > .95 * 2 * 204.47 * (1 << 20), "lent=" + lent);
        long planned = Training.plannedByteSize(Training.plan(graph, options, false, false), options);
        long plannedWhereMapped = Training.plannedByteSize(mapped, options);
        assertTrue(planned - plannedWhereMapped >= .99 * lent && planned - plannedWhereMapped <= 1.1 * lent,
                "planned=" + planned + ", " + plannedWhereMapped + " lent=" + lent);
        assertTrue(mapped.lendingByteSize() > 0 && mapped.lendingByteSize() < lent / 100);
    }

    @Test
    void saysThatItDiverged() {
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 100, 32, 1, 1e38f, false);
        String message = assertThrows(TrainingException.class, () -> Training.local(options, DATA, QUIET))
                .getMessage();
        assertTrue(
                message.matches(
                        "training diverged: loss=\\S+ at iteration=\\d+; give a smaller learning rate than lr=1.0E38"),
                message);
    }

    @Test
    void aTaskWaitsForOthersAsLongAsItIsTold() {
        RdmaDeviceOptions shm = RdmaDeviceOptions.defaults().withFabric("shm");
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 1, 1, 1, .4f, false)
                .withTimeout(Duration.ofMillis(200));
        try (RdmaDevice server = RdmaDevice.create(shm.withName("server:0"));
                RdmaDevice worker = RdmaDevice.create(shm.withName("worker:0"))) {
            Map<String, Endpoint> cluster = Map.of("server:0", server.endpoint(), "worker:0", worker.endpoint());
            String message = assertThrows(TransferException.class,
                    () -> Training.task(options, DATA, "server:0", cluster, server, QUIET)).getMessage();
            assertTrue(message.contains("200"), message);
        }
        assertThrows(IllegalArgumentException.class, () -> Training.check(
                new TrainingOptions("mlp", 1, 1, 1, 1, 1, .4f, false).withTimeout(Duration.ZERO), DATA));
    }

    /** What its peers say once its session is closed is not the cause. */
    @Test
    void whoDivergesSaysSoBeforeItsPeersHearOfIt() {
        RdmaDeviceOptions shm = RdmaDeviceOptions.defaults().withFabric("shm");
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 50, 8, 1, 1e38f, false);
        List<String> said = new ArrayList<>();
        try (RdmaDevice server = RdmaDevice.create(shm.withName("server:0"));
                RdmaDevice worker = RdmaDevice.create(shm.withName("worker:0"));
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Map<String, Endpoint> cluster = Map.of("server:0", server.endpoint(), "worker:0", worker.endpoint());
            Future<?> serving = threads
                    .submit(() -> Training.task(options, DATA.facts(), "server:0", cluster, server, QUIET));
            TrainingListener listener = new TrainingListener() {
                @Override
                public void onIteration(int iteration, double loss, double imagesPerSecond) {}

                @Override
                public void onFailure(RuntimeException cause) {
                    said.add(cause.getMessage() + (serving.isDone() ? ", and the server had ended" : ""));
                }
            };
            TrainingException thrown = assertThrows(TrainingException.class,
                    () -> Training.task(options, DATA, "worker:0", cluster, worker, listener));
            assertTrue(thrown.getMessage().startsWith("training diverged: loss="), thrown.getMessage());
            assertEquals(List.of(thrown.getMessage()), said);
            assertThrows(ExecutionException.class, serving::get);
        }
    }

    /** Whatever the optimizer remembers stays on its server, and the curve is the same to the last bit. */
    @ParameterizedTest
    @EnumSource(Optimizer.class)
    void everyOptimizerLearnsInAClusterWhatItLearnsInOneProcess(Optimizer optimizer) throws Exception {
        float learningRate = switch (optimizer) {
            case SGD -> .4f;
            case MOMENTUM -> .05f;
            case ADAM -> .002f;
        };
        TrainingOptions options = new TrainingOptions("mlp", 1, 2, 40, 32, 1, learningRate, false)
                .withOptimizer(optimizer);
        double[] local = Training.local(options, DATA, QUIET).lossCurve();
        assertArrayEquals(local, Cluster.train(options, DATA).get("worker:0").lossCurve());
        assertTrue(mean(local, 30, 40) < .7 * mean(local, 0, 5), Arrays.toString(local));
    }

    @Test
    void convolutionsLearnDrawnDigits() throws Exception {
        TrainingOptions options = new TrainingOptions("cnn", 1, 2, 120, 32, 1, .1f, false);
        TrainingResult local = Training.local(options, DATA, QUIET);
        assertTrue(local.testAccuracy() > .9, "testAccuracy=" + local.testAccuracy());
        TrainingOptions few = new TrainingOptions("cnn", 1, 2, 12, 32, 1, .1f, false);
        assertArrayEquals(Arrays.copyOf(Training.local(few, DATA, QUIET).lossCurve(), 12),
                Cluster.train(few, DATA).get("worker:0").lossCurve());
    }

    /** Lines have lengths of their own, so ids, rows of the table and their gradient cross with another shape in each iteration. */
    @ParameterizedTest
    @ValueSource(strings = {"lstm", "gru"})
    void textsAreLearnedInAClusterAsInOneProcess(String model, @TempDir Path directory) throws Exception {
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        TrainingOptions options = new TrainingOptions(model, 1, 2, 60, 8, 1, .01f, false)
                .withOptimizer(Optimizer.ADAM);
        TrainingResult local = Training.local(options, text, QUIET);
        assertTrue(mean(local.lossCurve(), 50, 60) < .7 * local.lossCurve()[0], Arrays.toString(local.lossCurve()));
        assertTrue(local.testPerplexity() < .5 * text.vocabularySize(), "perplexity=" + local.testPerplexity());
        assertTrue(Double.isNaN(local.testAccuracy()));

        Map<String, TrainingResult> cluster = Cluster.train(options, text);
        TrainingResult worker = cluster.get("worker:0");
        assertArrayEquals(local.lossCurve(), worker.lossCurve());
        assertEquals(local.testPerplexity(), worker.testPerplexity());
        assertEquals(2 * 60, worker.session().transfersDynamic(), "ids there, and the gradient of the rows");
        assertEquals(60, cluster.get("server:0").session().transfersDynamic()
                + cluster.get("server:1").session().transfersDynamic(), "the rows");
        for (TrainingResult task : cluster.values()) {
            assertEquals(0, task.session().copiesLater(), task.task());
        }
    }

    @Test
    void aModelSaysWhatDataItTakes(@TempDir Path directory) throws Exception {
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        assertEquals("model=lstm takes a text; give a file", assertThrows(IllegalArgumentException.class,
                () -> Training.check(new TrainingOptions("lstm", 1, 1, 1, 8, 1, .4f, false), DATA)).getMessage());
        assertEquals("model=mlp takes images; give a directory with IDX files",
                assertThrows(IllegalArgumentException.class,
                        () -> Training.check(options(1, 1, 1, 8, false), text)).getMessage());
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
