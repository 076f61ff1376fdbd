package dev.verbena.graph.run;

import java.util.HashMap;
import java.util.Map;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.plan.Placed;

/** A session's kernels, one for each node of its partition. Immutable. */
final class NodeKernels {
    private final Map<Graph.Node, Kernel> byNode = new HashMap<>();

    private NodeKernels() {}

    /**
     * Looks all of them up.
     *
     * @param ends of crossing edges: what sends, or receives, on this task
     * @throws IllegalArgumentException if one is not to be found; the message names the node
     */
    static NodeKernels of(Partition partition, Kernels kernels, Map<CrossingEdge, ? extends Kernel> ends) {
        NodeKernels result = new NodeKernels();
        for (Placed placed : partition.placed()) {
            Graph.Node node = placed.node();
            Kernel kernel = placed.edge() != null
                    ? ends.get(placed.edge())
                    : kernels.find(node.operation()).orElse(null);
            if (kernel == null) {
                throw new IllegalArgumentException("node '" + node + "' of task=" + node.task() + ": operation "
                        + node.operation().name() + " has no kernel; give the session's options one (Kernels.with)");
            }
            result.byNode.put(node, kernel);
        }
        return result;
    }

    Kernel of(Graph.Node node) {
        return byNode.get(node);
    }
}
