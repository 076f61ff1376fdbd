package dev.verbena.djl;

import java.nio.charset.StandardCharsets;
import java.util.List;

import ai.djl.Model;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.Trainer;
import ai.djl.training.TrainingConfig;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * A trainer of DJL whose parameters and gradients lie in registered memory, and whose step updates by the mean of all processes' gradients.
 *
 * <p>Initializing gives all processes the parameters of rank 0. Closing gives the model ordinary memory again, with what was learned; before that
 * the model must not be closed.
 *
 * <p><b>Owner:</b> who made it with {@link VerbenaDataParallel#newTrainer}; closed before the model. <b>Threading:</b> confined to the thread that
 * trains.
 */
public final class DataParallelTrainer extends Trainer {
    private final TrainingConfig config;
    private final RdmaDevice device;
    private final Group group;
    private final DataParallelOptions options;
    private ModelMemory memory;
    private boolean hasLearned;

    DataParallelTrainer(Model model, TrainingConfig config, RdmaDevice device, Group group,
            DataParallelOptions options) {
        super(model, config);
        this.config = config;
        this.device = device;
        this.group = group;
        this.options = options;
    }

    /**
     * Initializes what is not yet, moves it into registered memory, and takes rank 0's parameters.
     *
     * @throws TransferException if the processes have not the same model, which says where it differs, or one is lost
     * @throws IllegalArgumentException if a parameter cannot lie there, by its name: it is on a GPU, of 2 GiB and more, or not of numbers
     */
    @Override
    public void initialize(Shape... shapes) {
        super.initialize(shapes);
        if (memory == null) {
            memory = ModelMemory.of(getModel(), device, options.bucketByteSize());
            requireSameModel();
            memory.broadcast(group, options.stepTimeout());
        }
    }

    private void requireSameModel() {
        String own = memory.description();
        List<byte[]> all = group.allGather(own.getBytes(StandardCharsets.UTF_8), options.stepTimeout());
        for (int rank = 0; rank < all.size(); rank++) {
            String[] theirs = new String(all.get(rank), StandardCharsets.UTF_8).split("\n");
            String[] ours = own.split("\n");
            for (int i = 0; i < Math.max(theirs.length, ours.length); i++) {
                String their = i < theirs.length ? theirs[i] : "no more";
                String our = i < ours.length ? ours[i] : "no more";
                if (!their.equals(our)) {
                    throw new TransferException("the model at rank " + rank + " has " + their + ", here " + our);
                }
            }
        }
    }

    /**
     * Replaces each gradient by the mean of those of all processes, in place, and updates the parameters. A bucket of gradients is reduced while
     * parameters of those before are updated.
     *
     * @throws TransferException if a process is lost, late, or does something else
     * @throws IllegalStateException before {@link #initialize}, or if there has been no backward pass
     */
    @Override
    public void step() {
        if (memory == null) {
            throw new IllegalStateException("initialize the trainer before its first step");
        }
        long beginNs = System.nanoTime();
        memory.reduce(group, options.stepTimeout(), bucket -> {
            hasLearned = hasLearned || bucket.hasGradients();
            bucket.update(config.getOptimizer());
        });
        if (!hasLearned) {
            throw new IllegalStateException(
                    "all gradients are zero; call collector.backward(loss), usually, before the first step()");
        }
        addMetric("step", beginNs);
    }

    /**
     * How many gradients lay elsewhere when a step came and were copied, since somebody had given them other memory; 0 otherwise. What else is copied
     * {@link VerbenaDataParallel#statistics} has.
     */
    public long copies() {
        return memory == null ? 0 : memory.copies();
    }

    /** All that parameters and gradients lie in. */
    List<Tensor> tensors() {
        return memory.tensors();
    }

    /** Bytes of registered memory that parameters and gradients lie in. */
    public long registeredByteSize() {
        return memory == null ? 0 : memory.byteSize();
    }

    @Override
    public void close() {
        super.close();
        if (memory != null) {
            if (group.hasFailed()) {
                group.close(); // Until then others may still write to gradients.
            }
            memory.close();
            memory = null;
        }
    }
}
