package dev.verbena.training.model;

import java.util.List;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * What a model has added to a graph.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param feeds in the order in which {@link dev.verbena.training.Batches} gives their tensors
 * @param logits what is predicted, [rows, classes]
 * @param loss a scalar
 */
public record Pass(List<Node> feeds, Output logits, Output loss) {}
