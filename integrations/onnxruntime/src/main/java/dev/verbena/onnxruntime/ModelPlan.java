package dev.verbena.onnxruntime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxCutter;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxReader;
import dev.verbena.graph.onnx.ShapeInference;
import dev.verbena.graph.onnx.TensorFacts;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.graph.partition.Crossing;
import dev.verbena.graph.partition.Part;
import dev.verbena.graph.partition.Partitioner;
import dev.verbena.graph.partition.Partitioning;

/**
 * What each process of a model in parts does: its nodes, and what comes from whom and goes to whom. The same file and the same partition give
 * the same plan everywhere; processes with different ones do not find each other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. The file must not be changed meanwhile.
 */
public final class ModelPlan {
    /** Who sends the model's inputs and has its outputs. */
    public static final int CLIENT = -1;

    private final OnnxModel model;
    private final OnnxCutter cutter;
    private final Partitioning partitioning;
    private final List<CrossingTensor> tensors;
    private final String fingerprint;

    private ModelPlan(OnnxModel model, OnnxCutter cutter, Partitioning partitioning, List<CrossingTensor> tensors) {
        this.model = model;
        this.cutter = cutter;
        this.partitioning = partitioning;
        this.tensors = List.copyOf(tensors);
        StringBuilder text = new StringBuilder(model.graph().name());
        partitioning.parts().forEach(part -> text.append("\n").append(part.nodes()));
        tensors.forEach(each -> text.append("\n").append(each).append(each.producer()).append(each.consumers()));
        fingerprint = UUID.nameUUIDFromBytes(text.toString().getBytes(StandardCharsets.UTF_8)).toString();
    }

    /**
     * Reads a model and cuts it.
     *
     * @param symbols numbers for what its inputs leave open, such as the batch; others are open until an inference says what they are
     * @throws IOException if the file cannot be mapped
     * @throws dev.verbena.graph.onnx.OnnxException if it is malformed
     * @throws dev.verbena.graph.partition.PartitionException if it cannot be cut so
     * @throws IllegalArgumentException if something would cross that is no tensor of a type that ONNX Runtime's Java has, or of 2 GiB or more
     */
    public static ModelPlan of(Path file, Map<String, Long> symbols, Partitioner partitioner) throws IOException {
        OnnxModel model = OnnxReader.read(file);
        ShapeInference inference = ShapeInference.of(model);
        for (Map.Entry<String, Long> symbol : symbols.entrySet()) {
            inference = inference.withSymbol(symbol.getKey(), symbol.getValue());
        }
        InferredShapes shapes = inference.infer();
        Partitioning partitioning = partitioner.partition(model.graph(), shapes);
        return new ModelPlan(model, OnnxCutter.of(model, file), partitioning, crossing(model, shapes, partitioning));
    }

    private static List<CrossingTensor> crossing(OnnxModel model, InferredShapes shapes, Partitioning partitioning) {
        Map<String, Set<Integer>> consumers = new LinkedHashMap<>();
        Map<String, Integer> producers = new TreeMap<>();
        for (Part part : partitioning.parts()) {
            part.feeds().forEach(name -> consumers.computeIfAbsent(name, _ -> new TreeSet<>()).add(part.index()));
            part.results().forEach(name -> {
                consumers.computeIfAbsent(name, _ -> new TreeSet<>()).add(CLIENT);
                producers.put(name, part.index());
            });
        }
        for (Crossing crossing : partitioning.crossings()) {
            consumers.computeIfAbsent(crossing.tensor(), _ -> new TreeSet<>()).addAll(crossing.consumerParts());
            producers.put(crossing.tensor(), crossing.producerPart());
        }
        for (ValueInfo output : model.graph().outputs()) {
            if (!consumers.getOrDefault(output.name(), Set.of()).contains(CLIENT)) {
                throw new IllegalArgumentException(
                        "the model's output '" + output.name() + "' is made by no node; leave it out");
            }
        }
        List<CrossingTensor> tensors = new ArrayList<>();
        consumers.forEach((name, parts) -> tensors.add(new CrossingTensor(tensors.size(), name,
                checked(name, shapes.tensor(name)), producers.getOrDefault(name, CLIENT), List.copyOf(parts))));
        tensors.forEach(
                each -> each.shape().ifPresent(shape -> OrtTensors.checkByteSize(each.name(), each.type(), shape)));
        return tensors;
    }

    private static TensorFacts checked(String name, TensorFacts facts) {
        if (facts.elementType().filter(OrtTensors::isSupported).isEmpty()) {
            throw new IllegalArgumentException("'" + name + "' would go from one process to another, and "
                    + facts.elementType().map(type -> "ONNX Runtime's Java has no tensors of " + type)
                            .orElseGet(
                                    () -> "its type is not known, for " + facts.whyDynamic().orElse("nothing says it"))
                    + "; keep what makes it and what takes it in one part");
        }
        return facts;
    }

    /** The whole model, as it is in the file; weights stay there, mapped, so the file must not be changed. */
    public OnnxModel model() {
        return model;
    }

    /** Which nodes each part has, and what goes from part to part; parts count from 0, and the client is none of them. */
    public Partitioning partitioning() {
        return partitioning;
    }

    /** All that goes from one process to another, the model's inputs and outputs included. */
    public List<CrossingTensor> tensors() {
        return tensors;
    }

    /** What a part, or the client, is sent. */
    public List<CrossingTensor> inputs(int part) {
        return tensors.stream().filter(each -> each.consumers().contains(part)).toList();
    }

    /** What a part, or the client, sends. */
    public List<CrossingTensor> outputs(int part) {
        return tensors.stream().filter(each -> each.producer() == part).toList();
    }

    /** A part as a model of its own, without the elements of the weights that a session is given. */
    byte[] cut(int index, ModelWeights weights) {
        Part part = partitioning.parts().get(index);
        return cutter.cut(part.nodes(), values(inputs(index)), values(outputs(index)), weights::gives);
    }

    private static List<ValueInfo> values(List<CrossingTensor> tensors) {
        return tensors.stream().map(CrossingTensor::toValueInfo).toList();
    }

    /** Under which name a receiver of that tensor is found. */
    String edge(CrossingTensor tensor, int consumer) {
        return "onnx/" + fingerprint + "/" + tensor.index() + "/" + consumer;
    }

    /** For messages. */
    static String nameOf(int part) {
        return part == CLIENT ? "the client" : "part " + part;
    }

    /** Processes that one of these sends to. */
    Stream<Integer> peers(int part) {
        return outputs(part).stream().flatMap(each -> each.consumers().stream()).distinct();
    }
}
