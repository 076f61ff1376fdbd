package dev.verbena.spark;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.TrainingDefaults;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Reduction;

/** A driver: does one job by two tasks, and says what has come of it. Arguments: the master, the job, and the executors' class path. */
final class BarrierJobs {
    static final int TASKS = 2;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private BarrierJobs() {}

    public static void main(String[] arguments) {
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        SparkConf configuration = new SparkConf().setAppName(arguments[1]).setMaster(arguments[0])
                .set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.ui.enabled", "false").set("spark.executor.cores", "1").set("spark.executor.memory", "512m")
                .set("spark.cores.max", Integer.toString(TASKS)).set("spark.stage.maxConsecutiveAttempts", "1")
                .set("spark.executor.extraClassPath", arguments[2])
                .set("spark.executor.extraJavaOptions", "--enable-native-access=ALL-UNNAMED -XX:+UseSerialGC");
        try (JavaSparkContext context = new JavaSparkContext(configuration)) {
            JavaRDD<Integer> numbers = context.parallelize(IntStream.range(0, TASKS).boxed().toList(), TASKS);
            VerbenaBarrier.mapPartitions(numbers, job(arguments[1])).collect().forEach(output::println);
        } catch (Exception e) {
            output.println("failed: " + e.getMessage());
        }
    }

    private static FlatMapFunction<Iterator<Integer>, String> job(String name) {
        return switch (name) {
            case "reduce" -> BarrierJobs::reduce;
            case "train" -> BarrierJobs::train;
            case "fail" -> partition -> end(() -> {
                throw new IllegalStateException("rank 1 has a defect");
            });
            case "kill" -> partition -> end(() -> Runtime.getRuntime().halt(3));
            default -> throw new IllegalArgumentException("job " + name);
        };
    }

    /** The sum of what the partitions have, by each task. */
    private static Iterator<String> reduce(Iterator<Integer> partition) {
        VerbenaBarrier barrier = VerbenaBarrier.current();
        RdmaDeviceOptions options = barrier.deviceOptions(RdmaDeviceOptions.defaults().withFabric("shm"));
        try (RdmaDevice device = RdmaDevice.create(options);
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 26);
                Group group = device.group("tasks", barrier.rank(), barrier.meet(device), arena,
                        GroupOptions.defaults());
                Tensor sum = arena.allocate(ElementType.FLOAT32, Shape.of(1))) {
            group.join(PATIENCE);
            sum.memory().set(ValueLayout.JAVA_FLOAT, 0, partition.next() + 1);
            group.allReduce(sum, Reduction.SUM, PATIENCE);
            String said = "rank " + barrier.rank() + " of " + barrier.size() + " in process "
                    + ProcessHandle.current().pid() + ": " + sum.memory().get(ValueLayout.JAVA_FLOAT, 0);
            group.barrier(PATIENCE);
            return List.of(said).iterator();
        }
    }

    /** One task keeps the variables, the other one learns. */
    private static Iterator<String> train(Iterator<Integer> partition) {
        VerbenaBarrier barrier = VerbenaBarrier.current();
        RdmaDeviceOptions options = barrier.deviceOptions(RdmaDeviceOptions.defaults().withFabric("shm"));
        try (RdmaDevice device = RdmaDevice.create(options)) {
            List<String> tasks = Training.tasks(training());
            Map<String, Endpoint> cluster = new HashMap<>();
            List<Endpoint> members = barrier.meet(device);
            for (int rank = 0; rank < members.size(); rank++) {
                cluster.put(tasks.get(rank), members.get(rank));
            }
            double[] losses = Training.task(training(), TrainingDefaults.data("mlp", 1), tasks.get(barrier.rank()),
                    cluster, device, (_, _, _) -> {}).lossCurve();
            // Nobody closes its device while another one still trains.
            barrier.meet(device);
            return List.of(tasks.get(barrier.rank()) + " " + Arrays.toString(losses)).iterator();
        }
    }

    static TrainingOptions training() {
        return new TrainingOptions("mlp", TASKS - 1, 1, 20, 32, 1, .4f, false);
    }

    /** Of one of them; the other one waits for it. */
    private static Iterator<String> end(Runnable end) {
        VerbenaBarrier barrier = VerbenaBarrier.current();
        RdmaDeviceOptions options = barrier.deviceOptions(RdmaDeviceOptions.defaults().withFabric("shm"));
        try (RdmaDevice device = RdmaDevice.create(options);
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 20, 1 << 26);
                Group group = device.group("tasks", barrier.rank(), barrier.meet(device), arena,
                        GroupOptions.defaults())) {
            group.join(PATIENCE);
            if (barrier.rank() == 1) {
                end.run();
            }
            group.barrier(PATIENCE);
            return List.of("met").iterator();
        }
    }
}
