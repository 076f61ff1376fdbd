package dev.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.training.Training;
import dev.verbena.training.TrainingDefaults;

/** Jobs of a real cluster: a master, two workers, and for each job a driver and two executors, all of them processes. */
@Timeout(600)
class VerbenaBarrierTest {
    @TempDir
    private static Path folder;
    private static SparkCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new SparkCluster(folder);
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    @Test
    void tasksOfTwoExecutorsReduceTensors() throws Exception {
        List<String> said = cluster.run("reduce");
        assertEquals(List.of("rank 0 of 2 in process N: 3.0", "rank 1 of 2 in process N: 3.0"),
                said.stream().map(line -> line.replaceAll("process \\d+", "process N")).toList());
        assertEquals(2, said.stream().map(line -> line.replaceAll(".*process (\\d+).*", "$1"))
                .collect(Collectors.toSet()).size(), said::toString);
    }

    /** To the last bit. */
    @Test
    void aJobLearnsWhatOneProcessLearns() throws Exception {
        double[] alone = Training
                .local(BarrierJobs.training(), TrainingDefaults.data("mlp", 1), (_, _, _) -> {})
                .lossCurve();
        assertTrue(alone.length == 20 && alone[19] < alone[0], Arrays.toString(alone));
        assertEquals(List.of("server:0 []", "worker:0 " + Arrays.toString(alone)), cluster.run("train"));
    }

    @ParameterizedTest
    @CsvSource({"fail, rank 1 has a defect", "kill, ExecutorLostFailure"})
    void aTaskThatEndsFailsTheJobByItsName(String job, String cause) throws Exception {
        List<String> said = cluster.run(job);
        assertTrue(said.getFirst().startsWith("failed: ") && said.toString().contains(cause), said::toString);
        assertEquals(List.of(), cluster.awaitNoExecutor());
    }

    @Test
    void whereThereIsNoBarrierItSaysWhatToDo() {
        assertEquals("this is no task of a barrier stage, which alone has all its tasks at the same time; run it by"
                + " VerbenaBarrier.mapPartitions, or by RDD.barrier",
                assertThrows(IllegalStateException.class, VerbenaBarrier::current).getMessage());
    }
}
