package dev.verbena.benchmarks.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;

import dev.verbena.page.Page;

/**
 * Draws by Lets-Plot, which asks no fonts and no screen of the machine. What it writes is made a part of a page: no styles of its own, as
 * large as there is room.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class Svg {
    private static final Pattern STYLE = Pattern.compile("<style.*?</style>", Pattern.DOTALL);
    private static final Pattern DIGITS = Pattern.compile("(\\d\\.\\d\\d)\\d+");
    private static final Pattern ROOT = Pattern.compile("<svg [^>]*>");
    private static final Pattern INDENTATION = Pattern.compile("\\s*\\n\\s*");

    private Svg() {}

    /** @param title above it, and for who does not see it */
    static String draw(String title, int width, int height, Axis x, Axis y, Layers layers) {
        Map<String, Object> specification = new LinkedHashMap<>();
        specification.put("kind", "plot");
        specification.put("ggtitle", Map.of("text", title));
        specification.put("ggsize", Map.of("width", width, "height", height));
        specification.put("theme", theme());
        specification.put("scales", List.of(scale("x", x), scale("y", y)));
        specification.put("layers", layers.specifications());
        String drawn = PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(specification, null, (_, _, _) -> {
            throw new IllegalStateException("there are no bitmaps in plots");
        }, true);
        if (!drawn.contains("<svg ")) {
            throw new IllegalStateException("Lets-Plot does not draw it: " + drawn);
        }
        String root = String.format("<svg class=\"plot\" viewBox=\"0 0 %d %d\" style=\"max-width: %dpx\" role=\"img\""
                + " aria-label=\"%s\">", width, height, width, Page.text(title));
        String bare = ROOT.matcher(STYLE.matcher(drawn).replaceAll("")).replaceFirst(root);
        return INDENTATION.matcher(DIGITS.matcher(bare).replaceAll("$1")).replaceAll("\n") + "\n";
    }

    /** Lines are drawn as part of the plot, which leaves room for labels beside them. */
    private static Map<String, Object> theme() {
        Map<String, Object> blank = Map.of("name", "text", "blank", true);
        Map<String, Object> theme = new LinkedHashMap<>();
        theme.put("name", "minimal");
        theme.put("legend_position", "none");
        for (String part : List.of("panel_grid", "plot_background", "axis_line", "axis_ticks", "axis_tooltip")) {
            theme.put(part, blank);
        }
        theme.put("plot_title", Map.of("size", 12));
        theme.put("axis_title", Map.of("size", 12));
        theme.put("axis_text", Map.of("size", 12));
        return theme;
    }

    private static Map<String, Object> scale(String aesthetic, Axis axis) {
        Map<String, Object> scale = new LinkedHashMap<>();
        scale.put("aesthetic", aesthetic);
        if (axis.isLogarithmic()) {
            scale.put("trans", "log10");
        }
        scale.put("name", axis.title() == null ? "" : axis.title());
        scale.put("limits", List.of(axis.low(), axis.high()));
        scale.put("expand", List.of(0., 0.));
        scale.put("breaks", axis.ticks());
        scale.put("labels", axis.ticks().stream().map(axis.label()::apply).toList());
        return scale;
    }
}
