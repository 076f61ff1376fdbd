package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.page.Browser;
import dev.verbena.training.DataFacts;
import dev.verbena.training.IterationTimes;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.TrainingResult;
import dev.verbena.training.Validation;

/** The page of a training whose figures are made up; its graph is a real one. */
class TrainingPageTest {
    private static final DataFacts DIGITS = DataFacts.parse("1x28x28,classes=10,train=5000,test=1000");
    private static final DataFacts TEXT = DataFacts.parse("text,classes=30,train=5000,test=1000");
    private static final int ITERATIONS = 40;

    private static TrainingOptions options(String model, int workers, int servers) {
        return new TrainingOptions(model, workers, servers, ITERATIONS, 8, 1, .1f, false);
    }

    private static String page(TrainingOptions options, DataFacts data) {
        Graph graph = Training.graph(options, data, false);
        return TrainingPage.of(new TrainingReport("shm", "zerocopy", options, 20, 1, tasks(options)), graph,
                Training.plan(graph, options, false, true));
    }

    private static List<TaskReport> tasks(TrainingOptions options) {
        List<TaskReport> tasks = new ArrayList<>();
        for (String task : Training.tasks(options)) {
            boolean isWorker = !Training.isServer(task);
            double[] losses = new double[isWorker ? ITERATIONS : 0];
            for (int i = 0; i < losses.length; i++) {
                losses[i] = i == 3 ? Double.NaN : 2. / (i + 1);
            }
            List<Validation> measured = task.equals("worker:0")
                    ? List.of(new Validation(20, .5, Double.NaN), new Validation(40, .75, Double.NaN))
                    : List.of();
            IterationTimes times = new IterationTimes(ITERATIONS, share(3_000_000), share(0), share(1_000_000), 1);
            tasks.add(new TaskReport(new TrainingResult(task, losses, measured.isEmpty() ? Double.NaN : .75,
                    Double.NaN, 10, new SessionStatistics(ITERATIONS, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1), 1, 1, false,
                    times,
                    measured), 1, 1));
        }
        return tasks;
    }

    private static IterationTimes.Share share(long ns) {
        long[] points = new long[ITERATIONS];
        Arrays.fill(points, ns);
        return new IterationTimes.Share(ns * ITERATIONS, ns, ns, ns, points);
    }

    @Test
    void showsTheGraphAsItWasDivided() throws Exception {
        TrainingOptions options = options("mlp", 2, 2);
        Graph graph = Training.graph(options, DIGITS, false);
        TransferPlan plan = Training.plan(graph, options, false, true);
        String page = page(options, DIGITS);
        List<Document> drawings = drawings(page);
        assertEquals(1 + 4 + 1, drawings.size(), "loss, time of each task, graph");
        assertEquals(graph.nodes().stream().filter(node -> !Training.isSnapshot(node)).count(),
                count(page, "class=\"node\""));
        assertEquals(plan.transfers().size(), count(page, "<tr data-tensor="));
        assertEquals(plan.transfers().size(), count(page, "class=\"transfer static\""));
        assertEquals(List.of("server:0", "server:1", "worker:0", "worker:1", "server:0, at the end",
                "server:1, at the end"), bands(page));
        assertTrue(page.contains("static 802,816 B"), "the first layer's weights");
        assertEquals(2, count(page, "<circle class=\"measured\""));
        assertTrue(page.contains("after 20 iterations, epoch 1.000: test accuracy 0.5000"));
        assertFalse(page.contains("NaN\""), page);
    }

    @Test
    void whatIsReadWhereItLiesIsLent() throws Exception {
        String page = page(options("fcn5", 1, 1), DIGITS);
        long lent = count(page, "class=\"transfer lent\"");
        assertEquals(count(page, "<td class=\"lent\">"), lent);
        assertTrue(lent > 0 && count(page, "class=\"transfer static\"") > lent,
                "large weights, and not their gradients");
        assertTrue(page.contains("lent 12,845,056 B"), "the first layer's weights");
    }

    /** A table of characters is looked up between: above the workers, and dynamic. */
    @Test
    void whatTheRunAloneTellsIsDynamic() throws Exception {
        String page = page(options("gru", 1, 1), TEXT);
        assertEquals(List.of("server:0", "worker:0", "server:0, at the end"), bands(page));
        assertEquals(3, count(page, "class=\"transfer dynamic\""), "ids there, rows back, and their gradient");
        assertTrue(page.contains("dynamic ? B"));
        assertEquals(1 + 2 + 1, drawings(page).size());
    }

    @Test
    void nothingIsFetched() {
        String page = page(options("cnn", 1, 1), DIGITS);
        assertFalse(Pattern.compile("(?:src|href)=\"(?!data:)|url\\(|@import|https?:").matcher(page).find(), page);
    }

    @Test
    void aBrowserShowsIt(@TempDir Path folder) throws Exception {
        String page = page(options("mlp", 2, 1), DIGITS);
        String shown = Browser.find().show(page, folder);
        Matcher ready = Pattern.compile("data-ready=\"(\\d+) (\\d+)\"").matcher(shown);
        assertTrue(ready.find(), "its script has not come to its end");
        assertEquals(count(page, "class=\"node\""), Integer.parseInt(ready.group(1)));
        assertEquals(count(page, "class=\"edge crossing "), Integer.parseInt(ready.group(2)));
        assertEquals(count(page, "<svg "), count(shown, "<svg "));
    }

    private static List<String> bands(String page) {
        return Pattern.compile("<text class=\"part\"[^>]*>([^<]+)<").matcher(page).results()
                .map(match -> match.group(1)).toList();
    }

    /** Each is well-formed. */
    private static List<Document> drawings(String page) throws Exception {
        List<Document> drawings = new ArrayList<>();
        Matcher matcher = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL).matcher(page);
        while (matcher.find()) {
            drawings.add(DocumentBuilderFactory.newInstance().newDocumentBuilder()
                    .parse(new InputSource(new StringReader(matcher.group()))));
        }
        return drawings;
    }

    private static int count(String page, String what) {
        return page.split(Pattern.quote(what), -1).length - 1;
    }
}
