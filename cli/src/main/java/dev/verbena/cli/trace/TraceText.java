package dev.verbena.cli.trace;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.TensorFacts;
import dev.verbena.graph.partition.CrossingFigures;
import dev.verbena.graph.partition.PartFigures;

/**
 * A trace for people.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class TraceText {
    private static final String PARTS = "%-5s %6s %15s %15s %15s %15s %18s%n";
    private static final String CROSSINGS = "%-10s %-8s %15s  %s%n";
    private static final int SHOWN_MAX = 8;

    private TraceText() {}

    static String of(Trace trace) {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
                "%s: %d nodes in %d parts; transfers in each run: %d, of %,d bytes%s%n%n", trace.name(),
                trace.shapes().order().size(), trace.partitioning().partCount(), trace.transferCount(),
                trace.sentBytes(), hasUnsized(trace) ? " and what is not known before it" : ""));
        text.append(String.format(PARTS, "part", "nodes", "weights[B]", "peak[B]", "receives[B]", "sends[B]", "FLOP"));
        trace.figures().parts().forEach(part -> text.append(String.format(PARTS, part.part().index(),
                part.part().nodes().size(), grouped(part.weightBytes()), peak(part), grouped(part.receivedBytes()),
                grouped(part.sentBytes()), operations(part))));
        if (!trace.figures().crossings().isEmpty()) {
            text.append(String.format("%n" + CROSSINGS, "from->to", "protocol", "bytes", "tensor, and why"));
            trace.figures().crossings().forEach(crossing -> text.append(String.format(CROSSINGS, way(crossing),
                    Trace.protocol(crossing), size(crossing), what(crossing))));
        }
        note(text, "tensors of unknown size are not in peaks marked with +", trace.figures().parts().stream()
                .anyMatch(part -> part.unsizedCount() > 0));
        List<OnnxNode> uncounted = trace.figures().parts().stream().flatMap(part -> part.uncounted().stream()).toList();
        note(text, "work is not known of " + labels(uncounted), !uncounted.isEmpty());
        note(text, "no shape function is known for " + String.join(", ", trace.shapes().unknownOperators()),
                !trace.shapes().unknownOperators().isEmpty());
        return text.toString();
    }

    private static void note(StringBuilder text, String note, boolean holds) {
        if (holds) {
            text.append(String.format("%n%s%n", note));
        }
    }

    private static String labels(List<OnnxNode> nodes) {
        return nodes.stream().limit(SHOWN_MAX).map(OnnxNode::label).collect(Collectors.joining(", "))
                + (nodes.size() > SHOWN_MAX ? " and " + (nodes.size() - SHOWN_MAX) + " more" : "");
    }

    private static boolean hasUnsized(Trace trace) {
        return trace.figures().crossings().stream().anyMatch(crossing -> crossing.byteSize().isEmpty());
    }

    static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String peak(PartFigures part) {
        return grouped(part.peakBytes()) + (part.unsizedCount() > 0 ? "+" : "");
    }

    static String operations(PartFigures part) {
        Dimension operations = part.operations();
        return (operations.value().isPresent() ? grouped(operations.value().getAsLong()) : operations.toString())
                + (part.uncounted().isEmpty() ? "" : "+");
    }

    static String way(CrossingFigures crossing) {
        return crossing.crossing().producerPart() + "->" + crossing.crossing().consumerParts().stream()
                .map(Object::toString).collect(Collectors.joining(","));
    }

    static String size(CrossingFigures crossing) {
        return crossing.byteSize().isPresent() ? grouped(crossing.byteSize().getAsLong()) : "?";
    }

    static String type(TensorFacts facts) {
        return facts.elementType().map(Enum::name).orElse("?") + " "
                + facts.shape().map(Object::toString).orElse("of unknown rank");
    }

    private static String what(CrossingFigures crossing) {
        return "'" + crossing.crossing().tensor() + "' " + type(crossing.facts()) + " of "
                + crossing.crossing().producer().label() + ": " + crossing.reason();
    }
}
