package dev.verbena.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.OnnxReader;
import dev.verbena.graph.onnx.ShapeInference;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.graph.partition.Crossing;
import dev.verbena.graph.partition.Partitioner;
import dev.verbena.memory.ElementType;
import dev.verbena.page.Browser;

/** The page, and what a real browser makes of it. */
class TraceReportTest {
    private static final Path MODELS = Path.of(System.getProperty("verbena.home", "..")).resolve("../shared/data/onnx");
    private static final Pattern READY = Pattern.compile("data-ready=\"(\\d+) (\\d+)\"");

    @TempDir
    private Path folder;

    @Test
    void nothingIsFetchedAndNamesAreText() {
        String page = TraceHtml.of(traced(chain(6, "<script>alert(1)</script>&\""), 3));
        assertFalse(page.contains("<script>alert"), page);
        assertTrue(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;"), page);
        assertFalse(Pattern.compile("(?:src|href)=\"(?!data:)|url\\(|@import|https?:").matcher(page).find(), page);
    }

    @Test
    void aBrowserShowsEachNodeAndEachCrossingEdge() throws Exception {
        Browser browser = Browser.find();
        assertShown(browser, traced(chain(300, "n"), 4));
        // Of an open batch: dynamic, all of it.
        assertTrue(assertShown(browser, traced(chain(5, "n"), 2)).contains("edge crossing dynamic"));
    }

    @Test
    void aBrowserShowsTheLightModels() throws Exception {
        Browser browser = Browser.find();
        assumeTrue(Files.isDirectory(MODELS), "no models in " + MODELS);
        List<Path> models;
        try (Stream<Path> files = Files.list(MODELS)) {
            models = files.filter(file -> file.toString().endsWith(".onnx")).sorted().toList();
        }
        assertFalse(models.isEmpty());
        for (Path model : models) {
            assertTrue(assertShown(browser, traced(OnnxReader.read(model), 3)).contains("edge crossing static"));
        }
    }

    /** @return the page as the browser has it when its script has run */
    private String assertShown(Browser browser, Trace trace) throws Exception {
        String dom = browser.show(TraceHtml.of(trace), folder);
        Matcher ready = READY.matcher(dom);
        assertTrue(ready.find(), "its script has not come to its end");
        assertEquals(trace.model().graph().nodes().size(), Integer.parseInt(ready.group(1)));
        assertEquals(crossingEdges(trace), Integer.parseInt(ready.group(2)));
        assertEquals(trace.transferCount(), dom.split("class=\"transfer ", -1).length - 1);
        assertEquals(trace.figures().crossings().size(), dom.split("<tr data-tensor=", -1).length - 1);
        return dom;
    }

    /** Counted otherwise than it is drawn: from each tensor that crosses to each node behind it that takes it. */
    private static int crossingEdges(Trace trace) {
        int count = 0;
        for (Crossing crossing : trace.partitioning().crossings()) {
            for (OnnxNode node : trace.model().graph().nodes()) {
                boolean takes = node.inputs().contains(crossing.tensor())
                        || node.captured().contains(crossing.tensor());
                count += takes && trace.partitioning().partOf(node) != crossing.producerPart() ? 1 : 0;
            }
        }
        return count;
    }

    private static Trace traced(OnnxModel model, int partCount) {
        InferredShapes shapes = ShapeInference.of(model).infer();
        return Trace.of("model.onnx", model, shapes, Partitioner.into(partCount).partition(model.graph(), shapes));
    }

    /** A residual network without weights: each node adds what the last two have made. */
    private static OnnxModel chain(int length, String prefix) {
        List<Optional<Dimension>> shape = List.of(Optional.of(Dimension.symbol("N")), Optional.of(Dimension.of(10)));
        ValueInfo input = new ValueInfo("x", "FLOAT", Optional.of(ElementType.FLOAT32), Optional.of(shape), true);
        List<OnnxNode> nodes = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            nodes.add(new OnnxNode(i, prefix + i, "", "Add",
                    List.of(i == 0 ? "x" : "t" + (i - 1), i < 2 ? "x" : "t" + (i - 2)), List.of("t" + i), Map.of(),
                    Set.of(), Map.of()));
        }
        return new OnnxModel(8, "test", Map.of("", 13L), new OnnxGraph("test", nodes, Map.of(), List.of(input),
                List.of(), List.of()), Set.of());
    }
}
