package dev.verbena.spark;

import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

import org.apache.spark.BarrierTaskContext;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * Which member of a group a task of a barrier stage is. All tasks of such a stage run at the same time, and fail together; here they learn by Spark
 * where the devices of the others listen, and from then on exchange tensors directly.
 *
 * <pre>
 *   JavaRDD&lt;Float&gt; losses = VerbenaBarrier.mapPartitions(examples, partition -&gt; {
 *       VerbenaBarrier barrier = VerbenaBarrier.current();
 *       try (RdmaDevice device = RdmaDevice.create(barrier.deviceOptions(RdmaDeviceOptions.defaults()));
 *               TensorArena arena = TensorArena.create(device.slabSource(), byteSize, byteSizeMax);
 *               Group group = device.group("workers", barrier.rank(), barrier.meet(device), arena, GroupOptions.defaults())) {
 *           group.join(timeout);
 *           ...
 *       }
 *   });
 * </pre>
 *
 * @param rank of the task, from 0: the number of its partition
 * @param size how many tasks the stage has: the number of its partitions
 * @param host where the task's executor is, as the other executors reach it
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable; {@link #current} and {@link #meet} are called on the task's own thread.
 *
 * <p>Source: Spark's {@code BarrierTaskContext}; SPARK-24374.
 */
public record VerbenaBarrier(int rank, int size, String host) {
    /**
     * Of the task on whose thread it is called.
     *
     * @throws IllegalStateException if that is no task of a barrier stage
     */
    public static VerbenaBarrier current() {
        BarrierTaskContext context = context();
        Endpoint executor = Endpoint.parse(context.getTaskInfos()[context.partitionId()].address());
        return new VerbenaBarrier(context.partitionId(), context.getTaskInfos().length, executor.host());
    }

    private static BarrierTaskContext context() {
        if (TaskContext.get() instanceof BarrierTaskContext context) {
            return context;
        }
        throw new IllegalStateException(
                "this is no task of a barrier stage, which alone has all its tasks at the same time; run it by"
                        + " VerbenaBarrier.mapPartitions, or by RDD.barrier");
    }

    /** The options, with a name that says the rank, and listening at the executor's address. */
    public RdmaDeviceOptions deviceOptions(RdmaDeviceOptions options) {
        return options.withName("rank " + rank).withLocalEndpoint(new Endpoint(host, 0));
    }

    /**
     * Where each rank's device listens, as soon as all tasks of the stage have called this; once for each device. It waits as long as Spark's
     * {@code spark.barrier.sync.timeout} says, or until a task of the stage has failed; Spark's exception says which of them.
     *
     * @param device of this task, made with {@link #deviceOptions}
     */
    public List<Endpoint> meet(RdmaDevice device) {
        return Stream.of(context().allGather(device.endpoint().toString())).map(Endpoint::parse).toList();
    }

    /**
     * What a barrier stage makes of an RDD: each partition's task is started when all can be, and gets its partition. If one fails, all are ended, and
     * Spark tries the stage again, or fails the job.
     *
     * @param <T> of the elements
     * @param <R> of what tasks give
     * @param rdd with as many partitions as tasks are wanted: no more than there are cores for
     * @param task of each partition; it must be serializable, as Spark's functions are
     */
    public static <T, R> JavaRDD<R> mapPartitions(JavaRDD<T> rdd, FlatMapFunction<Iterator<T>, R> task) {
        return BarrierFunction.mapPartitions(rdd, task);
    }
}
