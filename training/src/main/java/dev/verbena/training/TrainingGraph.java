package dev.verbena.training;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Variable;
import dev.verbena.graph.gradient.Gradients;
import dev.verbena.training.checkpoint.Checkpoints;
import dev.verbena.training.model.Layers;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameter;
import dev.verbena.training.model.Parameters;
import dev.verbena.training.model.Pass;
import dev.verbena.training.model.Rules;
import dev.verbena.training.operation.Snapshot;

/**
 * One synchronous step of data-parallel training with parameter servers, as a graph (EuroSys'19, figure 3):
 *
 * <pre>
 *   server s                          worker w
 *   variable ────────────────────►    forward ─► loss ─► backward
 *      ▲                                                    │
 *   apply the mean of all workers ◄─────────────────────────┘
 * </pre>
 *
 * Variables are on the servers round-robin. The names of the nodes do not depend on where they run: with one worker, the graph
 * of a cluster and that of one process do the same arithmetic.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable once built.
 *
 * @param graph all of it
 * @param feeds of each worker, as {@link Batches} gives them
 * @param losses of each worker, a scalar
 * @param steps that change the variables; to need them all is to run everything
 * @param snapshots copies of the variables as worker 0 sees them, in the order of {@link Parameters#all()}; needed by no step
 */
record TrainingGraph(Graph graph, List<List<Node>> feeds, List<Output> losses, List<Node> steps,
        List<Node> snapshots) {

    /** The one task of a graph that needs no transfer. */
    static final String LOCAL_TASK = "local";

    static TrainingGraph distributed(TrainingOptions options, TrainingData data) {
        return build(options, Model.named(options.model()), data, tasks("server", options.servers()),
                tasks("worker", options.workers()));
    }

    /** One worker, and all nodes on one task. */
    static TrainingGraph local(TrainingOptions options, TrainingData data) {
        return build(options, Model.named(options.model()), data, List.of(LOCAL_TASK), List.of(LOCAL_TASK));
    }

    static List<String> tasks(String role, int count) {
        List<String> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(role + ":" + i);
        }
        return tasks;
    }

    static TrainingGraph build(TrainingOptions options, Model model, TrainingData data, List<String> servers,
            List<String> workers) {
        Graph graph = new Graph();
        Parameters parameters = Parameters.of(model, data);
        Map<String, Output> variables = addVariables(graph, options, data, parameters, servers);
        TrainingGraph result = new TrainingGraph(graph, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
                new ArrayList<>());
        for (int worker = 0; worker < workers.size(); worker++) {
            Pass pass = model.add(new Layers(graph, workers.get(worker), "worker:" + worker + "/",
                    parameter -> variables.get(parameter.name())), data, Dimension.of(options.batch()));
            result.feeds.add(pass.feeds());
            result.losses.add(pass.loss());
        }
        result.addSteps(List.copyOf(variables.values()), options, data);
        for (Output variable : variables.values()) {
            result.snapshots
                    .add(graph.add("final/" + variable.node().name(), workers.get(0), new Snapshot(), variable));
        }
        return result;
    }

    /** By name, in the order of the parameters. */
    private static Map<String, Output> addVariables(Graph graph, TrainingOptions options, TrainingData data,
            Parameters parameters, List<String> servers) {
        Map<String, Output> variables = new LinkedHashMap<>();
        for (Parameter parameter : parameters.all()) {
            int index = variables.size();
            String task = servers.get(index % servers.size());
            Variable variable = new Variable(parameter.type(), checkpoints(options, data, task)
                    .initializer(parameter.name(), parameters.initializer(index, options.seed())));
            variables.put(parameter.name(), graph.add(parameter.name(), task, variable).output());
        }
        return variables;
    }

    /** Of a task of such a training. */
    static Checkpoints checkpoints(TrainingOptions options, TrainingData data, String task) {
        return new Checkpoints(options.checkpoints(), task, "model=%s workers=%d servers=%d batch=%d seed=%d lr=%s "
                .formatted(options.model(), options.workers(), options.servers(), options.batch(), options.seed(),
                        options.learningRate())
                + "optimizer=" + options.optimizer().title() + " examples=" + data.trainCount()
                + (options.blasThreads() == 1 ? "" : " blasThreads=" + options.blasThreads()));
    }

    private void addSteps(List<Output> variables, TrainingOptions options, TrainingData data) {
        List<List<Output>> gradients = losses.stream()
                .map(loss -> Gradients.append(graph, loss, variables, Rules.ALL)).toList();
        for (int i = 0; i < variables.size(); i++) {
            int index = i;
            Output variable = variables.get(i);
            List<Output> ofWorkers = gradients.stream().map(ofWorker -> ofWorker.get(index)).toList();
            Checkpoints checkpoints = checkpoints(options, data, variable.node().task());
            steps.add(options.optimizer().addStep(graph, variable, ofWorkers, options.learningRate(),
                    checkpoints::initializer));
        }
    }
}
