package dev.verbena.spark;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.spark.launcher.JavaModuleOptions;

/**
 * Spark standalone: a master and two workers with a core each, as processes of this machine that listen on loopback, from the jars of the tests' class
 * path. What they leave lies in one folder.
 */
final class SparkCluster implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final long START_SECONDS = 120;
    private static final Pattern MASTER = Pattern.compile("Starting Spark master at (spark://\\S+)");
    private static final Pattern REGISTERED = Pattern.compile("(Successfully registered) with master");

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final String master;

    SparkCluster(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        Path jars = Files.createDirectories(folder.resolve("home/jars"));
        for (Path entry : classPath()) {
            if (Files.isRegularFile(entry)) {
                Files.createSymbolicLink(jars.resolve(entry.getFileName()), entry);
            }
        }
        try {
            Path log = start("master", "org.apache.spark.deploy.master.Master", "--host", LOOPBACK, "--port", "0",
                    "--webui-port", "0");
            master = await(log, MASTER);
            for (int i = 0; i < BarrierJobs.TASKS; i++) {
                Path worker = start("worker" + i, "org.apache.spark.deploy.worker.Worker", "--host", LOOPBACK,
                        "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir",
                        folder.resolve("work" + i).toString(), master);
                await(worker, REGISTERED);
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    static List<Path> classPath() {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList();
    }

    private Path start(String name, String program, String... arguments) throws IOException {
        Path log = folder.resolve(name + ".log");
        processes.add(java(program, arguments).redirectErrorStream(true).redirectOutput(log.toFile()).start());
        return log;
    }

    /** With what Spark itself needs opened, as its own scripts give it. */
    private ProcessBuilder java(String program, String... arguments) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(List.of(JavaModuleOptions.defaultModuleOptions().split(" +")));
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m", "-cp",
                folder.resolve("home/jars") + "/*" + File.pathSeparator + classFolders(), program));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("SPARK_LOCAL_IP", LOOPBACK);
        builder.environment().put("SPARK_HOME", folder.resolve("home").toString());
        builder.environment().put("SPARK_LOCAL_DIRS", folder.toString());
        builder.environment().put("SPARK_SCALA_VERSION", "2.13");
        // Executors have it too: one that is killed leaves the libraries that it unpacked.
        builder.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder);
        return builder;
    }

    private static String classFolders() {
        return String.join(File.pathSeparator,
                classPath().stream().filter(Files::isDirectory).map(Path::toString).toList());
    }

    /** Of the process that was started last. */
    private String await(Path log, Pattern line) throws IOException, InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadlineNs && processes.getLast().isAlive()) {
            Matcher matcher = line.matcher(Files.exists(log) ? Files.readString(log) : "");
            if (matcher.find()) {
                return matcher.group(1);
            }
            Thread.sleep(50);
        }
        throw new IllegalStateException("no '" + line + "' in " + Files.readString(log));
    }

    /** What a driver says of a job, line by line. */
    List<String> run(String job) throws IOException {
        Process driver = java(BarrierJobs.class.getName(), master, job, classFolders())
                .redirectError(folder.resolve(job + ".log").toFile()).start();
        processes.add(driver);
        return new String(driver.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }

    /** Children of the workers, whom these end soon after the job. @return those that are still there */
    List<String> awaitNoExecutor() throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (executors().findAny().isPresent() && System.nanoTime() < deadlineNs) {
            Thread.sleep(50);
        }
        return executors().map(executor -> executor.info().toString()).toList();
    }

    private Stream<ProcessHandle> executors() {
        return processes.stream().flatMap(process -> process.toHandle().descendants());
    }

    @Override
    public void close() {
        List<ProcessHandle> all = processes.stream()
                .flatMap(process -> Stream.concat(Stream.of(process.toHandle()), process.toHandle().descendants()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(process -> process.onExit().join());
        for (File link : folder.resolve("home/jars").toFile().listFiles()) {
            link.delete();
        }
    }
}
