package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What launchers set, as their manuals and the launchers themselves say, and the group that it makes. */
class LauncherVariablesTest {
    private static final Map<String, String> STEP = Map.of("SLURM_PROCID", "5", "SLURM_STEP_NUM_TASKS", "16",
            "SLURM_STEP_NODELIST", "gpu[03-06],login", "SLURM_JOB_ID", "4711", "SLURM_STEP_ID", "0", "SLURM_NTASKS",
            "16");
    private static final Map<String, String> OPEN_MPI = Map.of("OMPI_COMM_WORLD_RANK", "1", "OMPI_COMM_WORLD_SIZE",
            "3", "OMPI_COMM_WORLD_LOCAL_SIZE", "3", "OMPI_MCA_ess_base_jobid", "1850540033");

    private static GroupEnvironment with(Map<String, String> set, String... more) {
        return GroupEnvironment.of(added(set, more));
    }

    private static Map<String, String> added(Map<String, String> set, String... more) {
        Map<String, String> all = new HashMap<>(set);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    private static String complaint(Map<String, String> set, String... more) {
        return assertThrows(IllegalArgumentException.class, () -> with(set, more)).getMessage();
    }

    @Test
    void aStepOfSlurmMeetsAtItsFirstHost() {
        GroupEnvironment step = with(STEP);
        assertEquals(List.of(5, 16, "gpu03"), List.of(step.rank(), step.size(), step.master().host()));
        assertTrue(step.master().port() >= 20_000 && step.master().port() < 32_000, step::toString);
        assertEquals(step.master(), with(STEP, "SLURM_PROCID", "0").master());
        assertNotEquals(step.master().port(), with(STEP, "SLURM_STEP_ID", "1").master().port(), "of another step");
    }

    @Test
    void whatIsSetByHandIsStrongerThanWhatIsFound() {
        GroupEnvironment step = with(STEP, "MASTER_ADDR", "10.0.0.1", "MASTER_PORT", "29500");
        assertEquals(new GroupEnvironment(5, 16, new Endpoint("10.0.0.1", 29_500)), step);
        assertEquals(new GroupEnvironment(1, 2, new Endpoint("10.0.0.1", 29_500)), with(STEP, "RANK", "1", "WORLD_SIZE",
                "2", "MASTER_ADDR", "10.0.0.1", "MASTER_PORT", "29500"));
    }

    /** It has srun's variables of its first task, and would wait for the others. */
    @Test
    void aBatchScriptOfSlurmIsAlone() {
        assertEquals(1, GroupEnvironment.of(Map.of("SLURM_PROCID", "0", "SLURM_NTASKS", "16", "SLURM_JOB_NODELIST",
                "gpu[03-06]", "SLURM_JOB_ID", "4711")).size());
    }

    @Test
    void ranksOfOpenMpiOnOneHostMeetThere() {
        GroupEnvironment one = with(OPEN_MPI);
        assertEquals(List.of(1, 3, "127.0.0.1"), List.of(one.rank(), one.size(), one.master().host()));
        assertEquals(one.master(), with(OPEN_MPI, "OMPI_COMM_WORLD_RANK", "2").master());
        assertNotEquals(one.master(), with(OPEN_MPI, "OMPI_MCA_ess_base_jobid", "1850540034").master());
    }

    @Test
    void ranksOfMpiOnSeveralHostsAreToldWhereToMeet() {
        String local = "OMPI_COMM_WORLD_LOCAL_SIZE";
        assertEquals("OMPI_COMM_WORLD_RANK is set, but where rank 0 listens is not known: set environment variable"
                + " MASTER_ADDR alike for all ranks, as by 'mpirun -x MASTER_ADDR' or 'mpiexec -genv'",
                complaint(OPEN_MPI, local, "1"));
        assertEquals("10.0.0.1", with(OPEN_MPI, local, "1", "MASTER_ADDR", "10.0.0.1").master().host());
        assertEquals("gpu03", with(OPEN_MPI, local, "1", "SLURM_JOB_NODELIST", "gpu[03-06]").master().host());
    }

    /** Which are the launcher's own, one on each host. */
    @Test
    void ranksOfMpiWithinAStepTakeNotTheStepsVariables() {
        GroupEnvironment rank = with(added(STEP, "PMI_RANK", "7", "PMI_SIZE", "8", "SLURM_JOB_NODELIST", "gpu[03-06]",
                "MASTER_PORT", "29500"));
        assertEquals(new GroupEnvironment(7, 8, new Endpoint("gpu03", 29_500)), rank);
    }

    @Test
    void podsOfAnIndexedJobAreRanks() {
        Map<String, String> pod = Map.of("WORLD_SIZE", "4", "MASTER_ADDR", "training-0.training", "MASTER_PORT",
                "29500");
        for (int i : IntStream.range(0, 4).toArray()) {
            assertEquals(new GroupEnvironment(i, 4, new Endpoint("training-0.training", 29_500)),
                    with(pod, "JOB_COMPLETION_INDEX", Integer.toString(i)));
        }
        assertEquals("environment variable JOB_COMPLETION_INDEX=4; give a number from 0 to 3",
                complaint(pod, "JOB_COMPLETION_INDEX", "4"));
        assertEquals(1, GroupEnvironment.of(Map.of("JOB_COMPLETION_INDEX", "2")).size(), "a job that is no group");
    }

    @Test
    void aRankByHandWithoutItsSizeIsNotTakenForAnother() {
        assertTrue(complaint(STEP, "RANK", "1").contains("WORLD_SIZE, MASTER_ADDR, MASTER_PORT are not set"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ' ', value = {"node1 node1", "node1,node2 node1", "node[01-16] node01", "node[7] node7",
            "gpu[003-007,11]-ib,login gpu003-ib", "r[1-2]n[08-09] r1n08", "a-b.example.org a-b.example.org"})
    void theFirstOfAListOfHosts(String list, String first) {
        assertEquals(first, NodeList.first("SLURM_STEP_NODELIST", list));
    }

    @ParameterizedTest
    @ValueSource(strings = {",node1", "node[", "node[a-b]", "node[-3]", "node]1", "no de"})
    void whatIsNoListOfHostsIsRefused(String list) {
        assertEquals("environment variable SLURM_STEP_NODELIST=" + list
                + " is no list of hosts, such as node[01-16]; set MASTER_ADDR instead",
                assertThrows(IllegalArgumentException.class, () -> NodeList.first("SLURM_STEP_NODELIST", list))
                        .getMessage());
    }
}
