package dev.verbena.graph.onnx.wire;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * The fields of a model as they lie in its file, each with its tag, some of which are put together as another model: what no reader knows is
 * kept.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ModelPieces {
    private static final int NAME_OF_TENSOR = 8;
    private static final int EXTERNAL_DATA = 13;
    private static final int DATA_LOCATION = 14;
    private static final int EXTERNAL = 1;
    /** Of a tensor, with its elements in one form or another, or where they are. */
    private static final Set<Integer> ELEMENTS = Set.of(4, 5, 6, 7, 9, 10, 11, EXTERNAL_DATA, DATA_LOCATION);
    private static final int NAME_OF_VALUE = 1;

    private final String name;
    /** Fields of the model but for its graph. */
    private final List<MemorySegment> model = new ArrayList<>();
    /** Fields that belong to all of the graph, such as its name. */
    private final List<MemorySegment> graph = new ArrayList<>();
    private final List<MemorySegment> nodes = new ArrayList<>();
    private final Map<String, MemorySegment> initializers = new HashMap<>();
    private final Map<String, MemorySegment> values = new HashMap<>();

    /** @param bytes of a model that {@link ModelReader} can read */
    public ModelPieces(MemorySegment bytes, String name) {
        this.name = name;
        WireReader reader = new WireReader(bytes, 0, name);
        while (reader.next()) {
            if (reader.field() == ModelReader.GRAPH) {
                addGraph(reader.message("graph"));
            } else {
                model.add(reader.whole());
            }
        }
    }

    private void addGraph(WireReader reader) {
        while (reader.next()) {
            switch (reader.field()) {
                case GraphReader.NODE -> nodes.add(reader.whole());
                case GraphReader.INITIALIZER -> add(initializers, reader, NAME_OF_TENSOR);
                case GraphReader.VALUE_INFO -> add(values, reader, NAME_OF_VALUE);
                case GraphReader.INPUT, GraphReader.OUTPUT -> reader.skip(); // those of a part are others
                default -> graph.add(reader.whole());
            }
        }
    }

    private static void add(Map<String, MemorySegment> pieces, WireReader reader, int nameField) {
        MemorySegment field = reader.whole();
        WireReader message = new WireReader(field, 0, "");
        message.next();
        WireReader content = message.message("");
        while (content.next()) {
            if (content.field() == nameField) {
                pieces.put(content.text(), field);
            } else {
                content.skip();
            }
        }
    }

    /**
     * Writes a model of some of the nodes, which has the given inputs and outputs, and of tensors in between what this one says of them.
     *
     * @param kept names of initializers that it has with their elements
     * @param left names of initializers that it has without their elements, as tensors in a file that is not there
     * @throws IllegalArgumentException if it would have more than 2 GiB
     */
    public byte[] write(Collection<OnnxNode> chosen, List<ValueInfo> inputs, List<ValueInfo> outputs,
            Collection<String> kept, Collection<String> left) {
        WireWriter part = new WireWriter(name);
        graph.forEach(part::copy);
        chosen.forEach(node -> part.copy(nodes.get(node.position())));
        kept.forEach(each -> part.copy(initializers.get(each)));
        left.forEach(each -> part.message(GraphReader.INITIALIZER, withoutElements(initializers.get(each))));
        inputs.forEach(each -> part.message(GraphReader.INPUT, ValueInfoWriter.write(each)));
        outputs.forEach(each -> part.message(GraphReader.OUTPUT, ValueInfoWriter.write(each)));
        chosen.stream().flatMap(node -> node.outputs().stream()).filter(values::containsKey)
                .filter(each -> outputs.stream().noneMatch(output -> output.name().equals(each)))
                .forEach(each -> part.copy(values.get(each)));
        WireWriter whole = new WireWriter(name);
        model.forEach(whole::copy);
        return whole.message(ModelReader.GRAPH, part).toBytes();
    }

    private WireWriter withoutElements(MemorySegment initializer) {
        WireWriter tensor = new WireWriter(name);
        WireReader message = new WireReader(initializer, 0, name);
        message.next();
        WireReader content = message.message("");
        while (content.next()) {
            if (ELEMENTS.contains(content.field())) {
                content.skip();
            } else {
                tensor.copy(content.whole());
            }
        }
        return tensor.integer(DATA_LOCATION, EXTERNAL).message(EXTERNAL_DATA,
                new WireWriter(name).text(1, "location").text(2, "given to the session"));
    }
}
