package dev.verbena.cli.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.verbena.cli.graph.GraphDrawing;
import dev.verbena.cli.graph.GraphPage;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.partition.CrossingFigures;
import dev.verbena.graph.partition.PartFigures;

/**
 * A trace as one page that needs nothing else: the graph, drawn, and what is to be known of parts and of what crosses.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class TraceHtml {
    private final Trace trace;
    private final GraphPage page;

    private TraceHtml(Trace trace) {
        this.trace = trace;
        this.page = new GraphPage(trace.name() + " in " + trace.partitioning().partCount() + " parts");
    }

    static String of(Trace trace) {
        return new TraceHtml(trace).page();
    }

    private String page() {
        add("<h1>" + text(trace.name()) + "</h1>\n<p>" + trace.shapes().order().size() + " nodes in "
                + trace.partitioning().partCount() + " parts; transfers in each run: " + trace.transferCount() + ", of "
                + TraceText.grouped(trace.sentBytes()) + " bytes</p>\n");
        parts();
        crossings();
        page.graph(GraphDrawing.of(trace.shapes().order().stream().map(this::node).toList(), edges()),
                trace.figures().parts().stream().map(part -> "part " + part.part().index()).toList());
        return page.end();
    }

    private void parts() {
        add("<h2>Parts</h2>\n<table id=\"parts\"><thead><tr><th>part</th><th>nodes</th><th>weights</th><th>peak</th>"
                + "<th>at</th><th>receives</th><th>sends</th><th>FLOP</th></tr></thead>\n<tbody>\n");
        for (PartFigures part : trace.figures().parts()) {
            add("<tr><td><span class=\"key\" style=\"background:" + colour(part.part().index()) + "\"></span>"
                    + part.part().index() + "</td>" + number(Integer.toString(part.part().nodes().size()))
                    + number(TraceText.grouped(part.weightBytes())) + number(TraceText.peak(part)) + "<td>"
                    + text(part.peakNode().label()) + "</td>" + number(TraceText.grouped(part.receivedBytes()))
                    + number(TraceText.grouped(part.sentBytes())) + number(text(TraceText.operations(part)))
                    + "</tr>\n");
        }
        add("</tbody></table>\n<p class=\"hint\">Sizes in bytes. A peak is of tensors alive at the same time, without weights; "
                + "+ means that some are not known before the run.</p>\n");
    }

    private void crossings() {
        add("<h2>What crosses</h2>\n<table id=\"crossings\"><thead><tr><th>from</th><th>to</th><th>protocol</th>"
                + "<th>bytes</th><th>tensor</th><th>type and shape</th><th>made by</th><th>why</th></tr></thead>\n<tbody>\n");
        for (CrossingFigures each : trace.figures().crossings()) {
            add("<tr data-tensor=\"" + text(each.crossing().tensor()) + "\"><td>" + each.crossing().producerPart()
                    + "</td><td>" + each.crossing().consumerParts().stream().map(Object::toString)
                            .collect(Collectors.joining(", "))
                    + "</td><td class=\"" + Trace.protocol(each) + "\">" + Trace.protocol(each) + "</td>"
                    + number(TraceText.size(each)) + "<td>" + text(each.crossing().tensor()) + "</td><td>"
                    + text(TraceText.type(each.facts())) + "</td><td>" + text(each.crossing().producer().label())
                    + "</td><td>" + text(each.reason()) + "</td></tr>\n");
        }
        add("</tbody></table>\n");
    }

    private GraphDrawing.Node node(OnnxNode node) {
        int part = trace.partitioning().partOf(node);
        String outputs = node.outputs().stream().filter(output -> !output.isEmpty())
                .map(output -> "\n" + output + " " + TraceText.type(trace.shapes().tensor(output)))
                .collect(Collectors.joining());
        return new GraphDrawing.Node(node.qualifiedOperator(),
                node.name().isEmpty() ? "#" + node.position() : node.name(),
                node.label() + " in part " + part + outputs, part);
    }

    private List<GraphDrawing.Edge> edges() {
        Map<String, CrossingFigures> crossings = new HashMap<>();
        trace.figures().crossings().forEach(each -> crossings.put(each.crossing().tensor(), each));
        Map<String, Integer> makers = new HashMap<>();
        Set<String> labelled = new HashSet<>();
        List<GraphDrawing.Edge> edges = new ArrayList<>();
        List<OnnxNode> order = trace.shapes().order();
        for (int i = 0; i < order.size(); i++) {
            OnnxNode node = order.get(i);
            for (String input : node.needs()) {
                Integer maker = makers.get(input);
                if (maker != null) {
                    int part = trace.partitioning().partOf(node);
                    boolean isCrossing = part != trace.partitioning().partOf(order.get(maker));
                    CrossingFigures crossing = isCrossing ? crossings.get(input) : null;
                    edges.add(edge(maker, i, input, crossing, isCrossing && labelled.add(part + " " + input)));
                }
            }
            for (String output : node.outputs()) {
                if (!output.isEmpty()) {
                    makers.put(output, i);
                }
            }
        }
        return edges;
    }

    private GraphDrawing.Edge edge(int from, int to, String tensor, CrossingFigures crossing, boolean hasLabel) {
        String title = tensor + " " + TraceText.type(trace.shapes().tensor(tensor));
        if (crossing == null) {
            return new GraphDrawing.Edge(from, to, tensor, title, null, null);
        }
        String protocol = Trace.protocol(crossing);
        return new GraphDrawing.Edge(from, to, tensor, title + ": " + protocol + ", " + crossing.reason(), protocol,
                hasLabel ? protocol + " " + TraceText.size(crossing) + " B" : null);
    }

    private void add(String text) {
        page.add(text);
    }

    private static String colour(int part) {
        return GraphPage.colour(part);
    }

    private static String number(String text) {
        return GraphPage.number(text);
    }

    private static String text(String text) {
        return GraphPage.text(text);
    }
}
