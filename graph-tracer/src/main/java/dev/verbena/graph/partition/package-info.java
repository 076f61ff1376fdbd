/**
 * Which node of an ONNX model runs in which process, and what goes from one to the other because of it.
 *
 * <pre>
 *   Partitioner ──► AutomaticDivision: ContiguousSplit of several orders, Refinement of each
 *     │               over a LoadedGraph of numbers, within the PartRanges that pins leave
 *     ▼
 *   Partitioning: Part by Part, Crossing by Crossing
 *     ▼
 *   PartitionFigures: what crosses and how, what parts take of memory and time
 * </pre>
 */
package dev.verbena.graph.partition;
