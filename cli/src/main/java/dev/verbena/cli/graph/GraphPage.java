package dev.verbena.cli.graph;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A page that needs nothing else, and a graph in it, of which each part has a colour.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
public final class GraphPage {
    /** Of parts, in turns: colours that people who do not see all of them tell apart (Okabe and Ito). */
    private static final List<String> COLOURS = List.of("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442",
            "#d55e00",
            "#0072b2", "#999999");
    private static final double BASELINE = 14;
    private static final double LINE_HEIGHT = 13;

    private final StringBuilder html = new StringBuilder();

    /** Begins one. */
    public GraphPage(String title) {
        add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
        add(text(title) + "</title>\n");
        // Browsers ask for an icon, and complain where there is none.
        add("<link rel=\"icon\" href=\"data:,\">\n<style>\n" + resource("report.css") + "</style>\n</head>\n<body>\n");
    }

    /** @param text of the page; what is not the program's own has gone through {@link #text} */
    public void add(String text) {
        html.append(text);
    }

    /** Ends it. @return all of it */
    public String end() {
        add("<script>\n" + resource("report.js") + "</script>\n</body>\n</html>\n");
        return html.toString();
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

    /** Of a part. */
    public static String colour(int part) {
        return COLOURS.get(part % COLOURS.size());
    }

    /** A cell of a table. */
    public static String number(String text) {
        return "<td class=\"number\">" + text + "</td>";
    }

    /** Names come from models and data, which may be anybody's. Control characters have no place in a page. */
    public static String text(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
                .replaceAll("[\\p{Cntrl}&&[^\\n]]", "\ufffd");
    }

    private static String resource(String name) {
        try (InputStream stream = GraphPage.class.getResourceAsStream(name)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
