package dev.verbena.cli.graph;

import java.util.List;
import java.util.Locale;

import dev.verbena.page.Page;

/**
 * A page with a graph in it, of which each part has a colour.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class GraphPage extends Page {
    private static final double BASELINE = 14;
    private static final double LINE_HEIGHT = 13;

    /** Begins one. */
    public GraphPage(String title) {
        super(title, resource(GraphPage.class, "graph.css"));
    }

    @Override
    public String end() {
        add("<script>\n" + resource(GraphPage.class, "graph.js") + "</script>\n");
        return super.end();
    }

    /** @param parts what is written at each */
    public void graph(GraphDrawing drawing, List<String> parts) {
        add("<h2>Graph</h2>\n<p class=\"hint\">Drag to move, turn the wheel to zoom, double-click to see all. Point at "
                + "nodes and lines for more; click a tensor above to find it.</p>\n");
        add(String.format(Locale.ROOT, "<svg id=\"graph\" viewBox=\"0 0 %.0f %.0f\">%n", drawing.width(),
                drawing.height()));
        for (int part = 0; part < parts.size(); part++) {
            band(drawing, part, parts.get(part));
        }
        drawing.lines().stream().filter(line -> line.edge().protocol() == null).forEach(this::line);
        drawing.lines().stream().filter(line -> line.edge().protocol() != null).forEach(this::line);
        drawing.boxes().forEach(this::box);
        drawing.lines().stream().filter(line -> line.label() != null).forEach(this::label);
        add("</svg>\n");
    }

    /** Behind a part. */
    private void band(GraphDrawing drawing, int part, String name) {
        List<GraphDrawing.Box> boxes = drawing.boxes().stream().filter(box -> box.node().part() == part).toList();
        double top = boxes.stream().mapToDouble(GraphDrawing.Box::y).min().orElseThrow();
        double bottom = boxes.stream().mapToDouble(box -> box.y() + box.height()).max().orElseThrow();
        add(String.format(Locale.ROOT,
                "<rect class=\"band\" x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>"
                        + "<text class=\"part\" x=\"8\" y=\"%.1f\">%s</text>%n",
                top - 8, drawing.width(), bottom - top + 16, colour(part), top + 10, text(name)));
    }

    private void line(GraphDrawing.Line line) {
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < line.points().size(); i += 2) {
            path.append(String.format(Locale.ROOT, "%s%.1f %.1f", i == 0 ? "M" : "L", line.points().get(i),
                    line.points().get(i + 1)));
        }
        GraphDrawing.Edge edge = line.edge();
        String kind = edge.protocol() == null ? "edge" : "edge crossing " + edge.protocol();
        add("<path class=\"" + kind + "\" data-tensor=\"" + text(edge.tensor()) + "\" d=\"" + path + "\"><title>"
                + text(edge.title()) + "</title></path>\n");
    }

    private void box(GraphDrawing.Box box) {
        GraphDrawing.Node node = box.node();
        double middle = box.x() + box.width() / 2;
        add(String.format(Locale.ROOT,
                "<g class=\"node\" data-part=\"%d\"><title>%s</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                        + "rx=\"4\" stroke=\"%s\"/><text class=\"operator\" x=\"%.1f\" y=\"%.1f\">%s</text>"
                        + "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>%n",
                node.part(), text(node.title()), box.x(), box.y(), box.width(), box.height(), colour(node.part()),
                middle, box.y() + BASELINE, text(node.operator()), middle, box.y() + BASELINE + LINE_HEIGHT,
                text(GraphDrawing.shortName(node.name()))));
    }

    private void label(GraphDrawing.Line line) {
        GraphDrawing.Label label = line.label();
        add(String.format(Locale.ROOT,
                "<g class=\"transfer %s\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"3\"/>"
                        + "<text x=\"%.1f\" y=\"%.1f\">%s</text></g>%n",
                line.edge().protocol(), label.x() - 2, label.y(), label.width() + 4, label.height(),
                label.x() + label.width() / 2, label.y() + 10.5, text(label.text())));
    }
}
