package dev.verbena.cli.graph;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.eclipse.elk.alg.layered.options.LayeredMetaDataProvider;
import org.eclipse.elk.alg.layered.options.LayeredOptions;
import org.eclipse.elk.core.RecursiveGraphLayoutEngine;
import org.eclipse.elk.core.data.LayoutMetaDataService;
import org.eclipse.elk.core.math.ElkPadding;
import org.eclipse.elk.core.options.CoreOptions;
import org.eclipse.elk.core.options.Direction;
import org.eclipse.elk.core.options.EdgeRouting;
import org.eclipse.elk.core.util.BasicProgressMonitor;
import org.eclipse.elk.graph.ElkEdge;
import org.eclipse.elk.graph.ElkEdgeSection;
import org.eclipse.elk.graph.ElkLabel;
import org.eclipse.elk.graph.ElkNode;
import org.eclipse.elk.graph.util.ElkGraphUtil;

/**
 * Where nodes and edges are drawn: in layers from top to bottom, part below part, by the Eclipse Layout Kernel.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param width of all, in pixels as browsers count them
 * @see <a href="https://eclipse.dev/elk/reference/algorithms/org-eclipse-elk-layered.html">ELK Layered</a>
 */
public record GraphDrawing(double width, double height, List<Box> boxes, List<Line> lines) {
    /**
     * What is drawn as a box.
     *
     * @param operator what it does, its first line
     * @param name its second
     * @param title what is said of it when it is pointed at
     * @param part from 0
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public record Node(String operator, String name, String title, int part) {}

    /**
     * From a node that makes a tensor to one that takes it.
     *
     * @param from by its place among the nodes
     * @param to likewise
     * @param title what is said of it when it is pointed at
     * @param protocol by which it crosses, such as {@code static}; null if it does not
     * @param label what is written at it; null if nothing, or if another edge of the same transfer has it
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public record Edge(int from, int to, String tensor, String title, String protocol, String label) {}

    /** A node, by its upper left corner. */
    record Box(Node node, double x, double y, double width, double height) {}

    /**
     * An edge.
     *
     * @param points x and y by turns
     * @param label null for none
     */
    record Line(Edge edge, List<Double> points, Label label) {}

    /** Of a transfer, by its upper left corner. */
    record Label(String text, double x, double y, double width, double height) {}

    private static final double NODE_HEIGHT = 34;
    private static final double LABEL_HEIGHT = 14;
    private static final double CHARACTER_WIDTH = 6.6;
    private static final double MARGIN = 14;
    /** On the left, where it says which part it is. */
    private static final double PART_WIDTH = 64;
    private static final int NAME_MAX = 26;

    public static GraphDrawing of(List<Node> nodes, List<Edge> edges) {
        return new Layout(nodes, edges).run();
    }

    /** As much of a name as a box has room for, its end. */
    static String shortName(String name) {
        return name.length() <= NAME_MAX ? name : "…" + name.substring(name.length() - NAME_MAX + 1);
    }

    /** The making of one. */
    private static final class Layout {
        private final List<Node> nodes;
        private final ElkNode root = ElkGraphUtil.createGraph();
        private final List<ElkNode> boxes = new ArrayList<>();
        private final Map<ElkEdge, Edge> edges = new HashMap<>();
        private final List<ElkEdge> drawn = new ArrayList<>();

        Layout(List<Node> nodes, List<Edge> edges) {
            this.nodes = nodes;
            nodes.forEach(this::addBox);
            edges.forEach(this::addEdge);
        }

        GraphDrawing run() {
            LayoutMetaDataService.getInstance().registerLayoutMetaDataProviders(new LayeredMetaDataProvider());
            root.setProperty(CoreOptions.ALGORITHM, LayeredOptions.ALGORITHM_ID);
            root.setProperty(CoreOptions.DIRECTION, Direction.DOWN);
            root.setProperty(CoreOptions.EDGE_ROUTING, EdgeRouting.POLYLINE);
            root.setProperty(CoreOptions.PARTITIONING_ACTIVATE, true);
            root.setProperty(CoreOptions.SEPARATE_CONNECTED_COMPONENTS, false);
            root.setProperty(CoreOptions.PADDING, new ElkPadding(MARGIN, MARGIN, MARGIN, PART_WIDTH));
            root.setProperty(CoreOptions.SPACING_NODE_NODE, MARGIN);
            root.setProperty(LayeredOptions.SPACING_NODE_NODE_BETWEEN_LAYERS, 2 * MARGIN);
            new RecursiveGraphLayoutEngine().layout(root, new BasicProgressMonitor());
            List<Box> placed = new ArrayList<>();
            for (int i = 0; i < boxes.size(); i++) {
                ElkNode box = boxes.get(i);
                placed.add(new Box(nodes.get(i), box.getX(), box.getY(), box.getWidth(), box.getHeight()));
            }
            return new GraphDrawing(root.getWidth(), root.getHeight(), placed, drawn.stream().map(this::line).toList());
        }

        private void addBox(Node node) {
            ElkNode box = ElkGraphUtil.createNode(root);
            box.setDimensions(
                    Math.max(node.operator().length(), shortName(node.name()).length()) * CHARACTER_WIDTH + MARGIN,
                    NODE_HEIGHT);
            box.setProperty(CoreOptions.PARTITIONING_PARTITION, node.part());
            boxes.add(box);
        }

        private void addEdge(Edge edge) {
            ElkEdge line = ElkGraphUtil.createSimpleEdge(boxes.get(edge.from()), boxes.get(edge.to()));
            edges.put(line, edge);
            drawn.add(line);
            if (edge.label() != null) {
                ElkLabel label = ElkGraphUtil.createLabel(edge.label(), line);
                label.setDimensions(label.getText().length() * CHARACTER_WIDTH, LABEL_HEIGHT);
            }
        }

        private Line line(ElkEdge edge) {
            List<Double> points = new ArrayList<>();
            for (ElkEdgeSection section : edge.getSections()) {
                points.addAll(List.of(section.getStartX(), section.getStartY()));
                section.getBendPoints().forEach(point -> points.addAll(List.of(point.getX(), point.getY())));
                points.addAll(List.of(section.getEndX(), section.getEndY()));
            }
            Label label = edge.getLabels().stream().findFirst().map(each -> new Label(each.getText(), each.getX(),
                    each.getY(), each.getWidth(), each.getHeight())).orElse(null);
            return new Line(edges.get(edge), points, label);
        }
    }
}
