package dev.verbena.onnxruntime;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/**
 * Sends a model's inputs to the parts that take them, and has its outputs. Several inferences may be under way, as many as slots allow.
 *
 * <p><b>Owner:</b> who opened it; closed before its device. <b>Threading:</b> confined to one thread.
 */
public final class PartClient implements AutoCloseable {
    private final PartEnd end;

    private PartClient(PartEnd end) {
        this.end = end;
    }

    /** Makes slots for the model's outputs. */
    public static PartClient open(ModelPlan plan, RdmaDevice device, PartOptions options) {
        return new PartClient(new PartEnd(plan, ModelPlan.CLIENT, device, options));
    }

    /**
     * Finds the parts that take the model's inputs, which may come up meanwhile.
     *
     * @param endpoints by part
     */
    public void connect(Map<Integer, Endpoint> endpoints) {
        end.connect(endpoints);
    }

    /** For inputs, which are sent from there without a copy. */
    public TensorArena arena() {
        return end.arena();
    }

    /** Whether {@link #send} would send at once. */
    public boolean isReady() {
        return end.isReady();
    }

    /**
     * Sends the inputs of the next inference, as soon as the parts have slots free.
     *
     * @param inputs of {@link #arena}, by name; to be closed at any time, and not to be written to before the outputs are there
     * @throws IllegalArgumentException if one is missing, or of another type or shape than the plan says
     * @throws dev.verbena.transfer.TransferException if a peer is lost or takes too long
     */
    public void send(Map<String, Tensor> inputs) {
        Map<String, Long> symbols = new TreeMap<>();
        for (Outlet outlet : end.outlets()) {
            check(outlet.tensor(), inputs.get(outlet.tensor().name()), symbols);
        }
        end.awaitSlots();
        end.outlets().forEach(outlet -> outlet.offer(inputs.get(outlet.tensor().name())));
    }

    private static void check(CrossingTensor expected, Tensor input, Map<String, Long> symbols) {
        if (input == null) {
            throw new IllegalArgumentException("input " + expected + " is missing");
        }
        if (!expected.accepts(input.type(), input.shape(), symbols)) {
            throw new IllegalArgumentException(
                    "input " + expected + " is given as " + input.type() + " " + input.shape()
                            + (symbols.isEmpty() ? "" : ", with " + symbols));
        }
    }

    /**
     * The outputs of the next inference, in the order in which inputs were sent; the caller closes them.
     *
     * @throws dev.verbena.transfer.TransferException if a peer is lost or takes too long
     */
    public Map<String, Tensor> receive() {
        Map<String, Tensor> outputs = new LinkedHashMap<>();
        try {
            end.inlets().forEach(inlet -> outputs.put(inlet.tensor().name(), end.take(inlet)));
            return outputs;
        } catch (RuntimeException e) {
            outputs.values().forEach(Tensor::close);
            throw e;
        }
    }

    /** Sends the inputs and waits for the outputs. */
    public Map<String, Tensor> infer(Map<String, Tensor> inputs) {
        send(inputs);
        return receive();
    }

    /** Says goodbye to the parts. */
    @Override
    public void close() {
        end.close();
    }
}
