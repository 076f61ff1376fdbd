package dev.verbena.training;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.Variable;
import dev.verbena.memory.ElementType;

/**
 * One synchronous step of data-parallel training with parameter servers, as a graph (EuroSys'19, figure 3):
 *
 * <pre>
 *   server s                          worker w
 *   variable ────────────────────►    forward ─► loss ─► backward
 *      ▲                                                    │
 *   apply ◄── average of all workers ◄──────────────────────┘
 * </pre>
 *
 * Variables are on the servers round-robin. The names of the nodes do not depend on where they run: with one worker, the graph
 * of a cluster and that of one process do the same arithmetic.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable once built.
 *
 * @param graph all of it
 * @param images the feed of each worker, FLOAT32 [batch, features]
 * @param labels the feed of each worker, INT32 [batch]
 * @param losses of each worker, a scalar
 * @param steps that change the variables; to need them all is to run everything
 * @param snapshots copies of the variables as worker 0 sees them, in the order of {@link Parameters#all()}; needed by no step
 */
record TrainingGraph(Graph graph, List<Node> images, List<Node> labels, List<Output> losses, List<Node> steps,
        List<Node> snapshots) {

    /** The one task of a graph that needs no transfer. */
    static final String LOCAL_TASK = "local";

    static TrainingGraph distributed(TrainingOptions options, Dataset data) {
        return build(options, parameters(options, data), tasks("server", options.servers()),
                tasks("worker", options.workers()));
    }

    /** One worker, and all nodes on one task. */
    static TrainingGraph local(TrainingOptions options, Dataset data) {
        return build(options, parameters(options, data), List.of(LOCAL_TASK), List.of(LOCAL_TASK));
    }

    static Parameters parameters(TrainingOptions options, Dataset data) {
        return new Parameters(Model.named(options.model()).widths(data));
    }

    static List<String> tasks(String role, int count) {
        List<String> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(role + ":" + i);
        }
        return tasks;
    }

    static TrainingGraph build(TrainingOptions options, Parameters parameters, List<String> servers,
            List<String> workers) {
        Graph graph = new Graph();
        List<Output> variables = addVariables(graph, options.seed(), parameters, servers);
        TrainingGraph result = new TrainingGraph(graph, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(),
                new ArrayList<>(), new ArrayList<>());
        List<List<Output>> gradients = new ArrayList<>();
        for (int worker = 0; worker < workers.size(); worker++) {
            gradients.add(result.addWorker("worker:" + worker + "/", workers.get(worker), options.batch(), parameters,
                    variables));
        }
        for (int i = 0; i < variables.size(); i++) {
            int index = i;
            result.addStep(variables.get(i), gradients.stream().map(ofWorker -> ofWorker.get(index)).toList(),
                    options.learningRate());
        }
        for (Output variable : variables) {
            result.snapshots
                    .add(graph.add("final/" + variable.node().name(), workers.get(0), new Snapshot(), variable));
        }
        return result;
    }

    private static List<Output> addVariables(Graph graph, long seed, Parameters parameters, List<String> servers) {
        List<Output> variables = new ArrayList<>();
        for (Parameters.Parameter parameter : parameters.all()) {
            int index = variables.size();
            Variable variable = new Variable(parameter.type(), parameters.initializer(index, seed));
            variables.add(graph.add(parameter.name(), servers.get(index % servers.size()), variable).output());
        }
        return variables;
    }

    /** @return the gradient of each variable */
    private List<Output> addWorker(String prefix, String task, int batch, Parameters parameters,
            List<Output> variables) {
        Node imageFeed = graph.add(prefix + "images", task,
                new Feed(TensorType.of(ElementType.FLOAT32, batch, parameters.widths()[0])));
        Node labelFeed = graph.add(prefix + "labels", task, new Feed(TensorType.of(ElementType.INT32, batch)));
        Network network = new Network(graph, task, prefix, parameters, variables);
        List<Output> signals = network.forward(imageFeed.output());
        Node loss = graph.add(prefix + "loss", task, new SoftmaxCrossEntropy(), signals.getLast(), labelFeed.output());
        images.add(imageFeed);
        labels.add(labelFeed);
        losses.add(loss.output(SoftmaxCrossEntropy.LOSS));
        return network.backward(signals, loss.output(SoftmaxCrossEntropy.GRADIENT));
    }

    private void addStep(Output variable, List<Output> gradients, float learningRate) {
        String server = variable.node().task();
        Node average = graph.add(variable.node().name() + "/average", server, new AverageGradients(),
                gradients.toArray(Output[]::new));
        steps.add(graph.add(variable.node().name() + "/step", server, new ApplySgd(learningRate), variable,
                average.output()));
    }
}
