package dev.verbena.graph.onnx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.OnnxAttribute.Kind;
import dev.verbena.memory.ElementType;

/**
 * One inference: node after node, with what is known so far.
 *
 * <p><b>Owner:</b> {@link ShapeInference}. <b>Threading:</b> confined to its owner.
 */
final class InferencePass {
    /** Steps of the way from the inputs that a message shows. */
    private static final int WAY_MAX = 6;

    /** Graphs within graphs that are gone through, all in all: loops within loops would take all time. */
    private static final int BODIES_MAX = 1000;

    private final OnnxModel model;
    private final OnnxGraph graph;
    private final ShapeFunctions functions;
    private final Map<String, Long> symbols;
    /** Of inputs, in place of those that the model declares. */
    private final Map<String, SymbolicShape> shapes;
    private final GraphOrder order;
    private final Map<String, TensorFacts> tensors = new LinkedHashMap<>();
    private final Map<String, ValueInfo> declared = new HashMap<>();
    private final Set<String> symbolsOfInputs = new HashSet<>();
    private final Set<String> unknownOperators = new HashSet<>();
    private final List<OnnxNode> regions = new ArrayList<>();
    private final Set<String> deadBranches = new TreeSet<>();
    private final AtomicInteger bodies;

    InferencePass(OnnxModel model, ShapeFunctions functions, Map<String, Long> symbols,
            Map<String, SymbolicShape> shapes) {
        this.model = model;
        this.functions = functions;
        this.symbols = symbols;
        this.shapes = shapes;
        graph = model.graph();
        order = new GraphOrder(graph);
        bodies = new AtomicInteger();
    }

    /** Of a graph within that of another. */
    private InferencePass(InferencePass around, OnnxGraph body) {
        model = around.model;
        functions = around.functions;
        symbols = around.symbols;
        shapes = Map.of();
        bodies = around.bodies;
        graph = body;
        order = new GraphOrder(body, around.tensors.keySet());
        tensors.putAll(around.tensors);
    }

    /** Facts of the graph's outputs. */
    private List<TensorFacts> inferBody(OnnxGraph body, List<TensorFacts> inputs) {
        if (bodies.incrementAndGet() > BODIES_MAX) {
            throw new OnnxException("graph '" + body.name() + "'", "more than " + BODIES_MAX
                    + " graphs within graphs would have to be gone through");
        }
        InferencePass pass = new InferencePass(this, body);
        body.initializers().forEach((name, tensor) -> pass.tensors.put(name, constant(tensor)));
        for (int i = 0; i < Math.min(inputs.size(), body.inputs().size()); i++) {
            pass.tensors.put(body.inputs().get(i).name(), inputs.get(i));
        }
        body.inputs().stream().skip(inputs.size()).filter(input -> !pass.tensors.containsKey(input.name()))
                .forEach(input -> pass.tensors.put(input.name(), TensorFacts.unranked(input.elementType(),
                        "nothing is known of '" + input.name() + "' of graph '" + body.name() + "'")));
        pass.inferNodes();
        unknownOperators.addAll(pass.unknownOperators);
        deadBranches.addAll(pass.deadBranches);
        return body.outputs().stream().map(output -> pass.tensors.get(output.name())).toList();
    }

    InferredShapes run() {
        graph.initializers().forEach((name, tensor) -> tensors.put(name, constant(tensor)));
        graph.inputs().forEach(this::addInput);
        if (shapes.isEmpty()) {
            graph.values().forEach(value -> declared.put(value.name(), value));
            graph.outputs().forEach(value -> declared.put(value.name(), value));
        }
        inferNodes();
        return new InferredShapes(tensors, order.order(), unknownOperators, regions, deadBranches);
    }

    private void inferNodes() {
        for (OnnxNode node : order.order()) {
            List<TensorFacts> outputs = infer(node);
            for (int i = 0; i < outputs.size(); i++) {
                String name = node.outputs().get(i);
                if (!name.isEmpty()) {
                    tensors.put(name, reconciled(node, name, outputs.get(i)));
                }
            }
        }
    }

    /** What the model brings along. */
    static TensorFacts constant(OnnxTensor tensor) {
        TensorFacts facts = TensorFacts.of(tensor.elementType(), SymbolicShape.of(tensor.shape().dimensions()));
        return tensor.integers(Contents.COUNT_MAX).map(Contents::ofIntegers)
                .or(() -> tensor.floats(Contents.COUNT_MAX).map(Contents::ofFloats)).map(facts::with).orElse(facts);
    }

    /** An initializer counts unless the caller says that it gives something else. */
    private void addInput(ValueInfo input) {
        SymbolicShape given = shapes.get(input.name());
        if (given == null && graph.initializers().containsKey(input.name())) {
            return;
        }
        TensorFacts facts;
        if (given != null) {
            facts = TensorFacts.of(input.elementType(), given.bind(symbols));
        } else if (input.dimensions().isEmpty()) {
            facts = TensorFacts.unranked(input.elementType(), "the model says no shape of its input '" + input.name()
                    + "'" + (input.isTensor() ? "" : ", which is no tensor: " + input.type()));
        } else {
            List<Dimension> dimensions = new ArrayList<>();
            for (Optional<Dimension> dimension : input.dimensions().get()) {
                dimensions.add(dimension.orElse(Dimension.symbol(input.name() + "[" + dimensions.size() + "]"))
                        .bind(symbols));
            }
            facts = TensorFacts.of(input.elementType(), new SymbolicShape(dimensions));
        }
        facts.shape().ifPresent(shape -> shape.dimensions().forEach(each -> symbolsOfInputs.addAll(each.symbols())));
        tensors.put(input.name(), facts);
    }

    private List<TensorFacts> infer(OnnxNode node) {
        List<TensorFacts> inputs = new ArrayList<>();
        node.inputs().forEach(input -> inputs.add(input.isEmpty() ? null : tensors.get(input)));
        long version = model.opset(node.domain());
        ShapeContext context = new ShapeContext(node, version, inputs);
        if (node.attributes().values().stream().anyMatch(each -> each.kind() == Kind.GRAPH
                || each.kind() == Kind.GRAPHS)) {
            regions.add(node);
            return new RegionInference(node, version, inputs, this::inferBody, deadBranches).outputs();
        }
        Optional<ShapeFunction> function = model.functions().contains(node.qualifiedOperator()) ? Optional.empty()
                : functions.find(node.domain(), node.operator(), version);
        if (function.isEmpty()) {
            unknownOperators.add(node.qualifiedOperator());
            return context.outputs("no shape function is known for the operator of " + node.label());
        }
        try {
            function.get().infer(context);
            return context.outputs("the shape function of " + node.label() + " says nothing of this output");
        } catch (ShapeContext.Undetermined undetermined) {
            return context.outputs(undetermined.getMessage());
        } catch (OnnxException conflict) {
            throw new OnnxException(conflict.place(), conflict.getMessage().substring(conflict.place().length() + 2)
                    + ways(node), conflict);
        } catch (RuntimeException failed) {
            throw new OnnxException(node.label(), "no shape can be computed: " + failed.getMessage() + ways(node),
                    failed);
        }
    }

    /** With what the model itself says of a tensor, if it does. */
    private TensorFacts reconciled(OnnxNode node, String name, TensorFacts inferred) {
        ValueInfo value = declared.get(name);
        if (value == null || !value.isTensor()) {
            return inferred;
        }
        Optional<ElementType> type = inferred.elementType().or(value::elementType);
        if (value.elementType().isPresent() && !type.equals(value.elementType())) {
            throw contradiction(node, name, type.get(), value.elementType().get());
        }
        if (value.dimensions().isEmpty()) {
            return new TensorFacts(type, inferred.shape(), inferred.contents(), inferred.everywhere(),
                    inferred.reason());
        }
        List<Optional<Dimension>> said = value.dimensions().get();
        if (inferred.shape().isPresent() && inferred.shape().get().rank() != said.size()) {
            throw contradiction(node, name, inferred.shape().get(), text(said));
        }
        List<Dimension> dimensions = new ArrayList<>();
        for (int i = 0; i < said.size(); i++) {
            int axis = i;
            Dimension found = inferred.shape().map(shape -> shape.dimension(axis))
                    .orElseGet(() -> Dimension.unknown(name + "[" + axis + "]", inferred.reason().orElseThrow()));
            Optional<Dimension> other = said.get(i).map(each -> each.bind(symbols));
            if (other.isPresent() && found.isKnown() && found.differsFrom(other.get())) {
                throw contradiction(node, name, inferred.shape().get(), text(said));
            }
            boolean isBetter = found.isUnknown()
                    && other.filter(each -> symbolsOfInputs.containsAll(each.symbols())).isPresent();
            dimensions.add(isBetter ? other.get() : found);
        }
        return new TensorFacts(type, Optional.of(new SymbolicShape(dimensions)), inferred.contents(),
                inferred.everywhere(), Optional.empty());
    }

    private OnnxException contradiction(OnnxNode node, String name, Object found, Object said) {
        return new OnnxException(node.label(),
                "its output '" + name + "' is " + found + ", but the model declares " + said + ways(node));
    }

    private static String text(List<Optional<Dimension>> dimensions) {
        return dimensions.stream().map(each -> each.map(Dimension::toString).orElse("?"))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** How each input of a node has come there. */
    private String ways(OnnxNode node) {
        return node.inputs().stream().filter(input -> !input.isEmpty()).limit(WAY_MAX)
                .map(input -> "\n  " + describe(input) + way(input)).collect(Collectors.joining());
    }

    private String describe(String tensor) {
        return "'" + tensor + "' " + tensors.get(tensor);
    }

    /** Back along what the inputs of the model have most to do with: the first input that a node makes, or else any. */
    private String way(String tensor) {
        StringBuilder way = new StringBuilder();
        String current = tensor;
        for (int steps = 0; steps < WAY_MAX; steps++) {
            Optional<OnnxNode> producer = order.producer(current);
            if (producer.isEmpty()) {
                return way + (graph.initializers().containsKey(current) ? ", an initializer" : ", an input");
            }
            way.append(", from ").append(producer.get().label());
            List<String> inputs = producer.get().inputs().stream().filter(each -> !each.isEmpty()).toList();
            if (inputs.isEmpty()) {
                return way.toString();
            }
            current = inputs.stream().filter(each -> order.producer(each).isPresent()).findFirst()
                    .or(() -> inputs.stream().filter(each -> !graph.initializers().containsKey(each)).findFirst())
                    .orElse(inputs.getFirst());
            way.append(" of ").append(describe(current));
        }
        return way + ", ...";
    }
}
