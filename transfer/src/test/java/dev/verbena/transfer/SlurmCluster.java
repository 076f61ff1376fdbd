package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Slurm of one host, the loopback interface, with a controller and a daemon of its own, neither accounts nor control groups; for a test. */
final class SlurmCluster implements AutoCloseable {
    static final List<String> PROGRAMS = List.of("slurmctld", "slurmd", "srun", "sinfo");
    private static final long START_NS = TimeUnit.SECONDS.toNanos(60);

    private final Path folder;
    private final Path configuration;
    private final List<Process> daemons = new ArrayList<>();

    private SlurmCluster(Path folder, int cpus) throws IOException {
        this.folder = folder;
        for (String each : List.of("state", "spool")) {
            Files.createDirectories(folder.resolve(each));
        }
        configuration = Files.writeString(folder.resolve("slurm.conf"), """
                ClusterName=test
                SlurmctldHost=%1$s(127.0.0.1)
                SlurmUser=%2$s
                AuthType=auth/none
                CredType=cred/none
                MpiDefault=none
                ProctrackType=proctrack/linuxproc
                TaskPlugin=task/none
                SchedulerType=sched/builtin
                SelectType=select/cons_tres
                SlurmdParameters=config_overrides
                ReturnToService=2
                SlurmctldPort=%3$d
                SlurmdPort=%4$d
                StateSaveLocation=%5$s/state
                SlurmdSpoolDir=%5$s/spool
                SlurmctldPidFile=%5$s/slurmctld.pid
                SlurmdPidFile=%5$s/slurmd.pid
                SlurmctldLogFile=%5$s/slurmctld.log
                SlurmdLogFile=%5$s/slurmd.log
                NodeName=localhost CPUs=%6$d State=UNKNOWN
                PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
                """.formatted(hostName(), System.getProperty("user.name"), freePort(), freePort(), folder, cpus));
    }

    /** Ready to run steps of so many tasks. */
    static SlurmCluster start(Path folder, int cpus) throws Exception {
        SlurmCluster cluster = new SlurmCluster(folder, cpus);
        try {
            cluster.daemons.add(cluster.command(List.of("slurmctld", "-D", "-c")).start());
            cluster.daemons.add(cluster.command(List.of("slurmd", "-D", "-N", "localhost")).start());
            cluster.awaitIdle();
            return cluster;
        } catch (Exception | Error e) {
            cluster.close();
            throw e;
        }
    }

    private static String hostName() throws IOException {
        return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip().replaceFirst("\\..*", "");
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private void awaitIdle() throws IOException, InterruptedException {
        long endNs = System.nanoTime() + START_NS;
        while (System.nanoTime() < endNs) {
            Process look = command(List.of("sinfo", "-h", "-o", "%t")).redirectOutput(ProcessBuilder.Redirect.PIPE)
                    .start();
            if (new String(look.getInputStream().readAllBytes()).strip().equals("idle")) {
                return;
            }
            Thread.sleep(200);
        }
        StringBuilder logs = new StringBuilder("no node of Slurm is idle after a minute");
        for (String log : List.of("slurmctld.log", "slurmd.log", "output")) {
            Path file = folder.resolve(log);
            logs.append('\n').append(Files.exists(file) ? Files.readString(file) : log + " is not there");
        }
        fail(logs.toString());
    }

    /** With its configuration; what it says goes into a file. */
    ProcessBuilder command(List<String> words) {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("output").toFile()));
        builder.environment().put("SLURM_CONF", configuration.toString());
        return builder;
    }

    @Override
    public void close() {
        for (Process daemon : daemons.reversed()) {
            daemon.destroy();
            try {
                if (!daemon.waitFor(10, TimeUnit.SECONDS)) {
                    daemon.destroyForcibly();
                }
            } catch (InterruptedException e) {
                daemon.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
