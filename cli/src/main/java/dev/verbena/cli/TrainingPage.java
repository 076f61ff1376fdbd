package dev.verbena.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.cli.graph.Chart;
import dev.verbena.cli.graph.GraphDrawing;
import dev.verbena.cli.graph.GraphPage;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Variable;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.training.IterationTimes;
import dev.verbena.training.Training;
import dev.verbena.training.Validation;

/**
 * A training as a page: the report, the loss, where the time of each task's iterations went, and the graph as it was divided.
 *
 * <p>All workers do the same, so of those of large graphs the first is drawn.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class TrainingPage {
    /** What a layout takes some seconds for. */
    private static final int NODES_MAX = 700;

    private final TrainingReport report;
    private final Graph graph;
    private final List<TransferPlan.Transfer> transfers;
    private final GraphPage page;
    /** What is drawn, in the order of the graph. */
    private final Map<Graph.Node, Integer> places = new LinkedHashMap<>();
    /** Names of bands, from top to bottom: servers' variables, workers, what servers do with gradients. */
    private final List<String> parts = new ArrayList<>();

    private TrainingPage(TrainingReport report, Graph graph, TransferPlan plan) {
        this.report = report;
        this.graph = graph;
        this.transfers = plan.transfers();
        this.page = new GraphPage("Training of " + report.options().model());
    }

    /**
     * The page.
     *
     * @param graph of the training, all of it
     * @param plan of that graph
     */
    static String of(TrainingReport report, Graph graph, TransferPlan plan) {
        return new TrainingPage(report, graph, plan).page();
    }

    private String page() {
        page.add("<h1>Training of " + GraphPage.text(report.options().model()) + "</h1>\n<pre>"
                + GraphPage.text(report.toTable()) + "</pre>\n");
        loss();
        times();
        crossings();
        drawGraph();
        return page.end();
    }

    private void loss() {
        double[] losses = report.lossCurve();
        if (losses.length == 0) {
            return;
        }
        int first = report.options().iterations() - losses.length;
        page.add("<h2>Loss</h2>\n<p class=\"hint\">Of each iteration, the mean of all workers."
                + (report.validations().isEmpty() ? "" : " Dots: what is held out was measured; point at them.")
                + "</p>\n");
        List<Chart.Dot> dots = new ArrayList<>();
        for (Validation measured : report.validations()) {
            int index = measured.iteration() - first - 1;
            dots.add(new Chart.Dot(index, String.format(Locale.ROOT, "after %d iterations, epoch %.4g: %s",
                    measured.iteration(), report.epoch(measured), TrainingReport.text(measured))));
        }
        page.add(Chart.curve(losses, dots, "iteration " + (first + 1), "iteration " + report.options().iterations()));
    }

    private void times() {
        page.add("<h2>Time</h2>\n<p class=\"hint\">Of each iteration, from the left to the right, in ms: "
                + "<span class=\"key computing\"></span>computing <span class=\"key copying\"></span>copying "
                + "<span class=\"key waiting\"></span>waiting. What is longer than 99 of 100 iterations is cut off.</p>\n");
        for (TaskReport task : report.tasks()) {
            IterationTimes times = task.result().times();
            page.add("<h3>" + GraphPage.text(task.result().task()) + "</h3>\n" + Chart.stack(List.of(
                    new Chart.Layer("computing", times.computing().pointsNs()),
                    new Chart.Layer("copying", times.copying().pointsNs()),
                    new Chart.Layer("waiting", times.waiting().pointsNs())), times.iterationsPerPoint()));
        }
    }

    private void crossings() {
        page.add("<h2>What crosses</h2>\n<table id=\"crossings\"><thead><tr><th>from</th><th>to</th><th>protocol</th>"
                + "<th>bytes</th><th>tensor</th><th>type and shape</th></tr></thead>\n<tbody>\n");
        for (TransferPlan.Transfer transfer : transfers) {
            String protocol = protocol(transfer);
            page.add("<tr data-tensor=\"" + GraphPage.text(transfer.edge().output().toString()) + "\"><td>"
                    + GraphPage.text(transfer.edge().fromTask()) + "</td><td>"
                    + GraphPage.text(transfer.edge().toTask()) + "</td><td class=\"" + protocol + "\">" + protocol
                    + "</td>" + GraphPage.number(size(transfer)) + "<td>"
                    + GraphPage.text(transfer.edge().output().toString()) + "</td><td>"
                    + GraphPage.text(transfer.edge().type().toString()) + "</td></tr>\n");
        }
        page.add("</tbody></table>\n");
    }

    private void drawGraph() {
        choose();
        List<GraphDrawing.Node> nodes = places.keySet().stream().map(node -> new GraphDrawing.Node(
                node.operation().name(), node.name(), node.name() + " (" + node.operation().name() + ") on "
                        + node.task() + "\n" + node.outputTypes(),
                parts.indexOf(part(node)))).toList();
        if (places.size() < graph.nodes().size()) {
            page.add("<p class=\"hint\">Drawn is what one step runs"
                    + (isWhole() ? ""
                            : ", of the workers " + GraphPage.text(drawnWorker()) + ": the others do the same")
                    + ".</p>\n");
        }
        page.graph(GraphDrawing.of(nodes, edges()), parts);
    }

    private boolean isWhole() {
        return report.options().workers() == 1 || graph.nodes().size() <= NODES_MAX;
    }

    private static String drawnWorker() {
        return "worker:0";
    }

    private void choose() {
        Set<String> bands = new LinkedHashSet<>();
        Set<String> ends = new TreeSet<>();
        for (Graph.Node node : graph.nodes()) {
            boolean isOther = !isWhole() && !Training.isServer(node.task()) && !node.task().equals(drawnWorker());
            if (isOther || Training.isSnapshot(node)) {
                continue;
            }
            places.put(node, places.size());
            (isEnd(node) ? ends : bands).add(part(node));
        }
        // In the order of the graph variables come first, then what workers compute of them.
        parts.addAll(bands);
        parts.addAll(ends);
    }

    private String part(Graph.Node node) {
        return isEnd(node) ? node.task() + ", at the end" : node.task();
    }

    /** What a server does with what comes back, and is below what sent it: it computes, and sends nothing. */
    private boolean isEnd(Graph.Node node) {
        return Training.isServer(node.task()) && !(node.operation() instanceof Variable)
                && transfers.stream().noneMatch(each -> each.edge().output().node().equals(node));
    }

    private List<GraphDrawing.Edge> edges() {
        Map<String, TransferPlan.Transfer> crossing = new LinkedHashMap<>();
        transfers.forEach(each -> crossing.put(each.edge().output() + " " + each.edge().toTask(), each));
        Set<String> labelled = new HashSet<>();
        List<GraphDrawing.Edge> edges = new ArrayList<>();
        places.forEach((node, place) -> {
            for (Graph.Output input : new LinkedHashSet<>(node.inputs())) {
                String key = input + " " + node.task();
                TransferPlan.Transfer transfer = input.node().task().equals(node.task()) ? null : crossing.get(key);
                String title = input + " " + input.type();
                edges.add(transfer == null
                        ? new GraphDrawing.Edge(places.get(input.node()), place, input.toString(), title, null, null)
                        : new GraphDrawing.Edge(places.get(input.node()), place, input.toString(),
                                title + ": " + protocol(transfer), protocol(transfer),
                                labelled.add(key) ? protocol(transfer) + " " + size(transfer) + " B" : null));
            }
        });
        return edges;
    }

    private static String protocol(TransferPlan.Transfer transfer) {
        return switch (transfer.protocol()) {
            case STATIC_PLACEMENT -> "static";
            case LOAN -> "lent";
            case DYNAMIC_ALLOCATION -> "dynamic";
            case CARRIED -> "carried";
        };
    }

    private static String size(TransferPlan.Transfer transfer) {
        return transfer.byteSize() < 0 ? "?" : String.format(Locale.ROOT, "%,d", transfer.byteSize());
    }
}
