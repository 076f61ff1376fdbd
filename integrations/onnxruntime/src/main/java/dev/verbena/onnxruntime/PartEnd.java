package dev.verbena.onnxruntime;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * What one process, a part's or the client's, has to do with the others: an arena over registered memory, and where tensors come and go.
 *
 * <p><b>Owner:</b> the runner or the client. <b>Threading:</b> confined to its owner.
 */
final class PartEnd implements AutoCloseable {
    private static final long DRAIN_NS = 1_000_000_000;
    private static final long DRAIN_PAUSE_NS = 100_000;

    private final ModelPlan plan;
    private final int index;
    private final RdmaDevice device;
    private final PartOptions options;
    private final TensorArena arena;
    private final List<Inlet> inlets = new ArrayList<>();
    private final List<Outlet> outlets = new ArrayList<>();

    PartEnd(ModelPlan plan, int index, RdmaDevice device, PartOptions options) {
        this.plan = plan;
        this.index = index;
        this.device = device;
        this.options = options;
        long planned = plannedByteSize();
        arena = TensorArena.create(device.readableSlabSource(), planned, planned + options.dynamicByteSizeMax());
        try {
            for (CrossingTensor input : plan.inputs(index)) {
                inlets.add(Inlet.of(input, plan.edge(input, index), device, arena, options.depth()));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Slots of what comes, and as many tensors of what goes, one more while it is computed. */
    private long plannedByteSize() {
        LongStream slots = plan.inputs(index).stream().flatMap(each -> each.shape().stream()
                .map(shape -> RdmaDevice.receiverBufferByteSize(each.type(), shape, options.depth())))
                .mapToLong(Long::longValue);
        LongStream sent = plan.outputs(index).stream().flatMapToLong(each -> each.shape().stream()
                .flatMapToLong(
                        shape -> LongStream.generate(() -> shape.byteSize(each.type())).limit(options.depth() + 1L)));
        return TensorArena.plannedByteSize(2, LongStream.concat(slots, sent).toArray());
    }

    /** @param endpoints of the processes that this one sends to */
    void connect(Map<Integer, Endpoint> endpoints) {
        Duration patience = options.timeout();
        for (CrossingTensor output : plan.outputs(index)) {
            Outlet outlet = new Outlet(output, arena);
            outlets.add(outlet);
            for (int consumer : output.consumers()) {
                RdmaChannel channel = device.channel(endpoints.get(consumer), 0);
                String edge = plan.edge(output, consumer);
                if (output.shape().isPresent()) {
                    outlet.add(channel.sender(edge, output.type(), output.shape().get(), patience));
                } else {
                    outlet.add(channel.dynamicSender(edge, patience));
                }
            }
        }
    }

    TensorArena arena() {
        return arena;
    }

    List<Inlet> inlets() {
        return inlets;
    }

    List<Outlet> outlets() {
        return outlets;
    }

    /** @throws TransferException if it does not come in time */
    Tensor take(Inlet inlet) {
        Tensor tensor = inlet.poll(options.timeout());
        if (tensor == null) {
            throw new TransferException(ModelPlan.nameOf(index) + " has waited " + options.timeout() + " for "
                    + inlet.tensor() + " from " + ModelPlan.nameOf(inlet.tensor().producer()));
        }
        return tensor;
    }

    boolean isReady() {
        return outlets.stream().allMatch(Outlet::isReady);
    }

    /** Until all consumers of all outputs have slots free. */
    void awaitSlots() {
        if (!await(this::isReady, options.timeout())) {
            throw new TransferException(ModelPlan.nameOf(index) + " has waited " + options.timeout()
                    + " for those that it sends to: they have not taken what was sent before");
        }
    }

    boolean await(BooleanSupplier condition, Duration timeout) {
        long deadlineNs = System.nanoTime() + timeout.toNanos();
        while (true) {
            long seen = device.activity();
            if (condition.getAsBoolean()) {
                return true;
            }
            long leftNs = deadlineNs - System.nanoTime();
            if (leftNs <= 0) {
                return false;
            }
            device.awaitActivity(seen, leftNs);
        }
    }

    @Override
    public void close() {
        outlets.forEach(Outlet::close);
        for (Inlet inlet : inlets) {
            try {
                inlet.receiver().close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        long deadlineNs = System.nanoTime() + DRAIN_NS;
        while (arena.statistics().liveCount() > 0 && System.nanoTime() < deadlineNs) {
            device.awaitActivity(device.activity(), DRAIN_PAUSE_NS);
        }
        arena.close();
    }
}
