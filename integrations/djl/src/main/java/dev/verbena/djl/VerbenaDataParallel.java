package dev.verbena.djl;

import java.nio.ByteBuffer;
import java.util.Arrays;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.TrainingConfig;
import ai.djl.training.dataset.Sampler;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DeviceStatistics;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupEnvironment;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * This process among those that train a model together: each has all parameters and a part of each batch, and after each backward pass all have
 * the mean of their gradients.
 *
 * <p>A process that is lost, or does something else, is named by a {@link TransferException} in the others' next step; then this is closed, and
 * training begins anew from what was saved.
 *
 * <p><b>Owner:</b> who joined; closed after its trainers and models. <b>Threading:</b> confined to the thread that trains.
 */
public final class VerbenaDataParallel implements AutoCloseable {
    private static final String GROUP = "data parallel";
    private static final long ARENA_BYTE_SIZE = 8L << 20;
    private static final long ARENA_BYTE_SIZE_MAX = 1L << 30;

    private final GroupEnvironment environment;
    private final DataParallelOptions options;
    private final RdmaDevice device;
    private final TensorArena arena;
    private final Group group;

    private VerbenaDataParallel(GroupEnvironment environment, DataParallelOptions options) {
        this.environment = environment;
        this.options = options;
        device = RdmaDevice.create(environment.deviceOptions(options.device()));
        TensorArena made = null;
        Group joined = null;
        boolean isJoined = false;
        try {
            made = TensorArena.create(device.slabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE_MAX);
            joined = device.group(GROUP, environment.rank(), environment.meet(device, options.meetingTimeout()), made,
                    options.group());
            joined.join(options.meetingTimeout());
            joined.barrier(options.meetingTimeout());
            isJoined = true;
        } finally {
            if (!isJoined) {
                close(joined, made, device);
            }
        }
        arena = made;
        group = joined;
    }

    /**
     * As {@code RANK}, {@code WORLD_SIZE}, {@code MASTER_ADDR} and {@code MASTER_PORT} say, which {@code verbena launch} sets; one process where they
     * are not set. Loads PyTorch, then waits until all are there.
     *
     * @throws IllegalArgumentException if one of the variables is wrong
     * @throws IllegalStateException if PyTorch cannot be loaded
     * @throws TransferException if not all come in time, which says who has not
     */
    public static VerbenaDataParallel fromEnvironment() {
        return join(GroupEnvironment.of(System.getenv()), DataParallelOptions.defaults());
    }

    /** The same, with options and whatever the environment says. */
    public static VerbenaDataParallel join(GroupEnvironment environment, DataParallelOptions options) {
        PyTorch.engine();
        return new VerbenaDataParallel(environment, options);
    }

    /** From 0; where this process stands among all. */
    public int rank() {
        return environment.rank();
    }

    /** How many processes there are. */
    public int size() {
        return environment.size();
    }

    /**
     * A trainer of DJL for this model: as {@code model.newTrainer(config)}, and all that takes one, such as {@code EasyTrain}, takes this.
     *
     * @param model with a block, of the PyTorch engine
     * @throws IllegalArgumentException unless it trains on the CPU
     */
    public DataParallelTrainer newTrainer(Model model, TrainingConfig config) {
        Device[] devices = config.getDevices();
        if (devices.length != 1 || devices[0].isGpu()) {
            throw new IllegalArgumentException("devices of the training are " + Arrays.toString(devices)
                    + "; parameters and gradients lie in this process's memory, so give optDevices(new Device[]{Device.cpu()})");
        }
        prepare(model, config);
        return new DataParallelTrainer(model, config, device, group, options);
    }

    /** What else a model does when it makes a trainer: initializers, and what was loaded is trained again. Nobody listens. */
    private static void prepare(Model model, TrainingConfig config) {
        DefaultTrainingConfig quiet = new DefaultTrainingConfig(config.getLossFunction())
                .optOptimizer(config.getOptimizer()).optDevices(config.getDevices());
        config.getInitializers().forEach(pair -> quiet.optInitializer(pair.getKey(), pair.getValue()));
        model.newTrainer(quiet).close();
    }

    /**
     * For {@code setSampling} of a data set: this process's part of each batch. Each epoch has another order, the same at all processes; what is
     * left in the end, too few samples for a batch of each, is left out.
     *
     * @param batchSize of one process; all together have as many times that as there are
     * @param seed the same everywhere
     */
    public Sampler sampler(int batchSize, long seed) {
        return new ShardSampler(rank(), size(), batchSize, seed);
    }

    /**
     * The mean of what the processes give, such as a loss; all call it.
     *
     * @throws TransferException if one is lost or late
     */
    public double mean(double value) {
        byte[] own = ByteBuffer.allocate(Double.BYTES).putDouble(value).array();
        return group.allGather(own, options.stepTimeout()).stream()
                .mapToDouble(each -> ByteBuffer.wrap(each).getDouble())
                .sum() / size();
    }

    /** Waits until all processes have called it. @throws TransferException if one is lost or late */
    public void barrier() {
        group.barrier(options.stepTimeout());
    }

    /** What was sent, and copied for it, so far. */
    public DeviceStatistics statistics() {
        return device.statistics();
    }

    /** Leaves the others. */
    @Override
    public void close() {
        close(group, arena, device);
    }

    private static void close(Group group, TensorArena arena, RdmaDevice device) {
        if (group != null) {
            group.close();
        }
        if (arena != null) {
            arena.close();
        }
        device.close();
    }

    @Override
    public String toString() {
        return "data parallel training, " + environment + ", fabric " + device.fabricName();
    }
}
