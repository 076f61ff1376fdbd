/**
 * From a graph to what runs where, before anything runs and without kernels.
 *
 * <pre>
 *   Graph ──► CrossingEdge.of        which outputs are read, and which nodes waited for, on another task
 *     │          │    Branches       which of them may be dead in a run
 *     │          └──► TransferPlan   by which protocol they cross, in how many slots, and how much registered memory that takes
 *     └─────► Partition.of(task)     the task's nodes, a Send and a Receive for each crossing edge, and ControlEdges between them
 *                └──► RunPlan.of     of those what some fetches and targets need: Steps, and who holds each output (Holds)
 * </pre>
 *
 * All of it follows from the graph, the targets and what all tasks share, so every task comes to the same.
 */
package dev.verbena.graph.plan;
