package dev.verbena.onnxruntime;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtSession;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/**
 * Runs one part of a model: takes what the parts before it send, where it lies, and has ONNX Runtime compute into memory that is sent from, which
 * is the next part's own where the fabric maps that.
 *
 * <p><b>Owner:</b> who opened it; closed before its device and its weights. <b>Threading:</b> confined to one thread.
 */
public final class PartRunner implements AutoCloseable {
    private final PartEnd end;
    private final PartSession session;
    private long inferences;
    private long copies;
    private long copiesFirst;
    private long copiedByteSize;
    private long runNs;

    private PartRunner(PartEnd end, PartSession session) {
        this.end = end;
        this.session = session;
    }

    /**
     * Makes the part's session, and slots for what it is sent.
     *
     * @param part from 0
     * @throws PartException if ONNX Runtime cannot be loaded or refuses the part
     */
    public static PartRunner open(ModelPlan plan, int part, RdmaDevice device, ModelWeights weights,
            PartOptions options) {
        Map<String, Tensor> given = new HashMap<>();
        plan.partitioning().parts().get(part).initializers().stream()
                .filter(name -> weights.gives(plan.model().graph().initializers().get(name)))
                .forEach(name -> given.put(name, weights.tensor(name)));
        PartSession session = PartSession.of("part " + part, plan.cut(part, weights), given, options);
        try {
            return new PartRunner(new PartEnd(plan, part, device, options), session);
        } catch (RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /**
     * Finds the processes that this part sends to, which may come up meanwhile.
     *
     * @param endpoints by part, with {@link ModelPlan#CLIENT}
     */
    public void connect(Map<Integer, Endpoint> endpoints) {
        end.connect(endpoints);
    }

    /**
     * Does its part of the next inference.
     *
     * @param timeout for the first of its inputs; the others have that of the options
     * @return false if none has come: call it again, or stop
     * @throws dev.verbena.transfer.TransferException if a peer is lost or takes too long
     * @throws PartException if ONNX Runtime fails
     */
    public boolean infer(Duration timeout) {
        List<Tensor> inputs = new ArrayList<>();
        try {
            for (Inlet inlet : end.inlets()) {
                Tensor input = inputs.isEmpty() ? inlet.poll(timeout) : end.take(inlet);
                if (input == null) {
                    return false;
                }
                inputs.add(input);
            }
            // A part without inputs has constants only, and computes as fast as they are taken.
            if (inputs.isEmpty() && !end.await(end::isReady, timeout)) {
                return false;
            }
            end.awaitSlots();
            compute(inputs);
            return true;
        } finally {
            inputs.forEach(Tensor::close);
        }
    }

    private void compute(List<Tensor> inputs) {
        Map<String, OnnxTensor> given = new HashMap<>();
        Map<String, OnnxTensor> pinned = new HashMap<>();
        Set<String> free = new HashSet<>();
        Map<Outlet, Tensor> computed = new HashMap<>();
        try {
            Map<String, Long> symbols = new HashMap<>();
            for (int i = 0; i < inputs.size(); i++) {
                CrossingTensor input = end.inlets().get(i).tensor();
                if (!input.accepts(inputs.get(i).type(), inputs.get(i).shape(), symbols)) {
                    throw new IllegalStateException(input + " has come as " + inputs.get(i).type() + " "
                            + inputs.get(i).shape() + ", with " + symbols);
                }
                given.put(input.name(), over(input, inputs.get(i)));
            }
            for (Outlet outlet : end.outlets()) {
                CrossingTensor output = outlet.tensor();
                output.shape(symbols).ifPresentOrElse(shape -> {
                    OrtTensors.checkByteSize(output.name(), output.type(), shape);
                    Tensor tensor = outlet.allocate(shape);
                    computed.put(outlet, tensor);
                    pinned.put(output.name(), over(output, tensor));
                }, () -> free.add(output.name()));
            }
            long startNs = System.nanoTime();
            try (OrtSession.Result result = session.run(given, pinned, free)) {
                runNs += System.nanoTime() - startNs;
                end.outlets().stream().filter(outlet -> free.contains(outlet.tensor().name())).forEach(
                        outlet -> computed.put(outlet,
                                copied(outlet, (OnnxTensor) result.get(outlet.tensor().name()).get())));
            }
            end.outlets().forEach(outlet -> outlet.offer(computed.get(outlet)));
            inferences++;
        } finally {
            given.values().forEach(OnnxTensor::close);
            pinned.values().forEach(OnnxTensor::close);
            computed.values().forEach(Tensor::close);
        }
    }

    private static OnnxTensor over(CrossingTensor tensor, Tensor memory) {
        return OrtTensors.over(tensor.name(), memory.memory(), memory.type(), memory.shape());
    }

    /** By ONNX Runtime into a buffer of Java's, and from there by us: it lets nobody see its own. */
    private Tensor copied(Outlet outlet, OnnxTensor output) {
        ByteBuffer bytes = output.getByteBuffer();
        Tensor tensor = outlet.allocate(Shape.of(output.getInfo().getShape()));
        tensor.memory().copyFrom(MemorySegment.ofBuffer(bytes));
        copies += 2;
        copiesFirst += inferences == 0 ? 2 : 0;
        copiedByteSize += 2 * tensor.byteSize();
        return tensor;
    }

    /** Sums since it was opened; call it on the thread that runs the part. */
    public PartStatistics statistics() {
        long placed = end.outlets().stream().mapToLong(Outlet::placed).sum();
        return new PartStatistics(inferences, placed, copies, copiesFirst, copiedByteSize, runNs);
    }

    /** Says goodbye to those that it sends to and has from. */
    @Override
    public void close() {
        try {
            end.close();
        } finally {
            session.close();
        }
    }
}
