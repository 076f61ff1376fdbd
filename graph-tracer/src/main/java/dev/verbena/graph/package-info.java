/**
 * Data-flow graphs as they are written down: nodes, types, operations. Arrows between the packages go one way:
 *
 * <pre>
 *   run ──► plan ──► graph ◄── onnx
 *
 *   graph   Graph, Operation (a name, a shape function, effects), TensorType, SymbolicShape, Dimension
 *   plan    what is known before anything runs: Partition, control edges, TransferPlan, RunPlan
 *   run     sessions: kernels, looked up by operation, and the executor that runs a plan's frame
 *   onnx    graphs that others have made, and what is known of their tensors
 * </pre>
 */
package dev.verbena.graph;
