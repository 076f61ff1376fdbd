package dev.verbena.graph.plan;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Variable;

/**
 * Follows an output back to those whose storage it may be. In one run it is the storage of its input, whose site is then the one that is
 * sent; in another somebody still reads the input, and the output has a site of its own. From then on both are born in registered memory,
 * and where they can be there at the same time the plan needs room for both.
 */
final class InPlaceChains {
    private final Graph graph;

    InPlaceChains(Graph graph) {
        this.graph = graph;
    }

    /** Outputs of the same task that the output may be in place of, and be there beside. */
    Set<Output> besides(Output output) {
        Set<Output> besides = new LinkedHashSet<>();
        Output storage = origin(output);
        while (true) {
            Node node = storage.node();
            int input = node.operation().inPlaceInput(storage.index());
            if (input < 0) {
                return besides;
            }
            Output source = origin(node.inputs().get(input));
            boolean isOurs = source.node().task().equals(node.task())
                    && !(source.node().operation() instanceof Variable || source.node().operation() instanceof Feed);
            if (!isOurs) {
                return besides;
            }
            if (readerCount(source) > 1) {
                besides.add(source);
            }
            storage = source;
        }
    }

    /** The output whose storage it always is. */
    private static Output origin(Output output) {
        Output origin = output;
        while (origin.node().operation().forwards()
                && origin.node().inputs().getFirst().node().task().equals(origin.node().task())) {
            origin = origin.node().inputs().getFirst();
        }
        return origin;
    }

    /** How many nodes read a storage, under whatever name. */
    private int readerCount(Output storage) {
        Set<Output> names = new HashSet<>(Set.of(storage));
        Deque<Output> open = new ArrayDeque<>(names);
        Set<Node> readers = new HashSet<>();
        while (!open.isEmpty()) {
            for (Node reader : graph.readers(open.pop())) {
                if (reader.operation().forwards() && reader.task().equals(storage.node().task())) {
                    Output name = reader.output();
                    if (names.add(name)) {
                        open.push(name);
                    }
                } else {
                    readers.add(reader);
                }
            }
        }
        return readers.size();
    }
}
