package dev.verbena.transfer;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the variables of launchers say of a group. Who started it decides on rank and size; where rank 0 listens is said by {@code MASTER_ADDR} and
 * {@code MASTER_PORT}, else found: the first host of Slurm's list, or this one if all ranks are on it, and a port made of the job's number.
 *
 * <p><b>Owner:</b> {@link GroupEnvironment}. <b>Threading:</b> immutable.
 */
final class LauncherVariables {
    static final String ADDRESS = "MASTER_ADDR";
    private static final String PORT = "MASTER_PORT";
    private static final String SIZE = "WORLD_SIZE";
    private static final String LOOPBACK = "127.0.0.1";
    private static final int PORT_MAX = 65_535;
    /** Ports of jobs: below those that systems give away by themselves (Linux, ip_local_port_range). */
    private static final int JOB_PORT_MIN = 20_000;
    private static final int JOB_PORTS = 12_000;
    private static final Launcher BY_HAND = new Launcher("RANK", SIZE, null, null, List.of());
    /**
     * MPI's launchers start processes of their own by srun where there is one, and what they start inherits srun's variables; so they come first. Of a
     * step the variables of the job are the same on all hosts, its own are not where mpirun itself runs.
     */
    private static final List<Launcher> LAUNCHERS = List.of(BY_HAND,
            new Launcher("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE",
                    "SLURM_JOB_NODELIST", List.of("OMPI_MCA_ess_base_jobid", "PMIX_NAMESPACE")),
            new Launcher("PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_JOB_NODELIST", List.of("SLURM_JOB_ID")),
            // A batch script has a SLURM_PROCID, too, and is no step.
            new Launcher("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", null, "SLURM_STEP_NODELIST",
                    List.of("SLURM_JOB_ID", "SLURM_STEP_ID")),
            new Launcher("JOB_COMPLETION_INDEX", SIZE, null, null, List.of()));

    /**
     * Names of variables.
     *
     * @param localSize how many of the ranks are on this host; null if the launcher does not say
     * @param nodes the list of hosts, rank 0's first; null if it does not say
     * @param jobs what together no other job of these hosts has, and all ranks have alike
     */
    private record Launcher(String rank, String size, String localSize, String nodes, List<String> jobs) {}

    private final Map<String, String> environment;
    /** Null where there is none. */
    private final Launcher launcher;

    LauncherVariables(Map<String, String> environment) {
        this.environment = environment;
        launcher = LAUNCHERS.stream().filter(each -> isSet(each.rank) && isSet(each.size)).findFirst().orElse(null);
        if (launcher == null || launcher != BY_HAND && isSet(BY_HAND.rank)) {
            checkNoneByHand();
        }
    }

    private void checkNoneByHand() {
        List<String> ours = List.of(BY_HAND.rank, SIZE, ADDRESS, PORT);
        List<String> missing = ours.stream().filter(name -> !isSet(name)).toList();
        if (missing.size() < ours.size()) {
            throw missing(missing);
        }
    }

    private static IllegalArgumentException missing(List<String> names) {
        return new IllegalArgumentException("environment variables " + String.join(", ", names)
                + " are not set, but others of the group are; set all four, as 'verbena launch' does, or none");
    }

    boolean isGroup() {
        return launcher != null;
    }

    int rank() {
        return number(launcher.rank, 0, size() - 1);
    }

    int size() {
        return number(launcher.size, 1, Integer.MAX_VALUE);
    }

    String masterHost() {
        if (isSet(ADDRESS)) {
            return text(ADDRESS);
        }
        if (launcher.nodes != null && isSet(launcher.nodes)) {
            return NodeList.first(launcher.nodes, text(launcher.nodes));
        }
        if (size() == 1 || isOneHost()) {
            return LOOPBACK;
        }
        throw unknown(ADDRESS);
    }

    private boolean isOneHost() {
        return launcher.localSize != null && isSet(launcher.localSize)
                && number(launcher.localSize, 1, Integer.MAX_VALUE) == size();
    }

    int masterPort() {
        if (isSet(PORT)) {
            return number(PORT, 1, PORT_MAX);
        }
        String job = launcher.jobs.stream().filter(this::isSet).map(this::text).collect(Collectors.joining("."));
        if (!job.isEmpty()) {
            return JOB_PORT_MIN + Math.floorMod(job.hashCode(), JOB_PORTS);
        }
        if (size() == 1) {
            return 0;
        }
        throw unknown(PORT);
    }

    private IllegalArgumentException unknown(String name) {
        List<String> unset = Stream.of(ADDRESS, PORT).filter(each -> !isSet(each)).toList();
        return launcher.size.equals(SIZE) ? missing(unset) : new IllegalArgumentException(
                launcher.rank + " is set, but where rank 0 listens is not known: set environment variable " + name
                        + " alike for all ranks, as by 'mpirun -x " + name + "' or 'mpiexec -genv'");
    }

    private boolean isSet(String name) {
        return !environment.getOrDefault(name, "").isBlank();
    }

    private String text(String name) {
        return environment.get(name).strip();
    }

    private int number(String name, int min, int max) {
        try {
            int number = Integer.parseInt(text(name));
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Said below.
        }
        throw new IllegalArgumentException(
                "environment variable " + name + "=" + text(name) + "; give a number from " + min + " to " + max);
    }
}
