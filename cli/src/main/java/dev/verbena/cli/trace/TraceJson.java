package dev.verbena.cli.trace;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.partition.CrossingFigures;
import dev.verbena.graph.partition.PartFigures;

/**
 * A trace for programs. Sizes are in bytes; what is not known before the run is null, or an expression of symbols.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class TraceJson {
    private TraceJson() {}

    static Map<String, Object> of(Trace trace) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("model", trace.name());
        map.put("nodes", trace.shapes().order().size());
        map.put("transfers", trace.transferCount());
        map.put("sentBytes", trace.sentBytes());
        map.put("parts", trace.figures().parts().stream().map(TraceJson::part).toList());
        map.put("crossings", trace.figures().crossings().stream().map(TraceJson::crossing).toList());
        map.put("unknownOperators", List.copyOf(trace.shapes().unknownOperators()));
        map.put("dynamicRegions", trace.shapes().dynamicRegions().stream().map(OnnxNode::label).toList());
        return map;
    }

    private static Map<String, Object> part(PartFigures figures) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("part", figures.part().index());
        map.put("nodes", figures.part().nodes().stream().map(OnnxNode::label).toList());
        map.put("feeds", figures.part().feeds());
        map.put("receives", figures.part().receives());
        map.put("sends", figures.part().sends());
        map.put("results", figures.part().results());
        map.put("weightBytes", figures.weightBytes());
        map.put("peakBytes", figures.peakBytes());
        map.put("peakNode", figures.peakNode().label());
        map.put("unsizedTensors", figures.unsizedCount());
        map.put("receivedBytes", figures.receivedBytes());
        map.put("sentBytes", figures.sentBytes());
        map.put("operations", number(figures.operations()));
        map.put("uncountedNodes", figures.uncounted().stream().map(OnnxNode::label).toList());
        return map;
    }

    private static Map<String, Object> crossing(CrossingFigures figures) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("tensor", figures.crossing().tensor());
        map.put("elementType", figures.facts().elementType().map(Enum::name).orElse(null));
        map.put("shape", figures.facts().shape().map(SymbolicShape::dimensions)
                .map(all -> all.stream().map(TraceJson::number).toList()).orElse(null));
        map.put("byteSize", figures.byteSize().isPresent() ? figures.byteSize().getAsLong() : null);
        map.put("producer", figures.crossing().producer().label());
        map.put("from", figures.crossing().producerPart());
        map.put("to", figures.crossing().consumerParts());
        map.put("protocol", Trace.protocol(figures));
        map.put("reason", figures.reason());
        return map;
    }

    private static Object number(Dimension dimension) {
        return dimension.value().isPresent() ? (Object) dimension.value().getAsLong() : dimension.toString();
    }
}
