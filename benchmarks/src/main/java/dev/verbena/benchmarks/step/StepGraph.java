package dev.verbena.benchmarks.step;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Variable;
import dev.verbena.training.operation.ApplySgd;

/**
 * A synchronous step with one parameter server: workers pull all variables, and push a gradient of each, of which the server applies the mean.
 * Between the two a worker does nothing: {@link LocalComputation}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable once built.
 *
 * <p>Source: EuroSys'19, figure 3.
 *
 * @param steps to need them all is to run everything
 */
record StepGraph(Graph graph, List<Node> steps) {
    static final String SERVER = "server:0";

    static StepGraph of(StepModel model, int workers) {
        Graph graph = new Graph();
        List<Output> variables = new ArrayList<>();
        for (int i = 0; i < model.variables().size(); i++) {
            Variable variable = new Variable(model.variables().get(i), tensor -> tensor.memory().fill((byte) 0));
            variables.add(graph.add("variable" + i, SERVER, variable).output());
        }
        List<Node> computations = new ArrayList<>();
        for (String worker : workers(workers)) {
            computations.add(
                    graph.add(worker + "/computation", worker, new LocalComputation(),
                            variables.toArray(Output[]::new)));
        }
        List<Node> steps = new ArrayList<>();
        for (int i = 0; i < variables.size(); i++) {
            int index = i;
            List<Output> inputs = new ArrayList<>(List.of(variables.get(i)));
            computations.forEach(computation -> inputs.add(computation.output(index)));
            steps.add(graph.add("apply" + i, SERVER, new ApplySgd(1), inputs.toArray(Output[]::new)));
        }
        return new StepGraph(graph, steps);
    }

    static List<String> workers(int count) {
        List<String> workers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            workers.add("worker:" + i);
        }
        return workers;
    }
}
