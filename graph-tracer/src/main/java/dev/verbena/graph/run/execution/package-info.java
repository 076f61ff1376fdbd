/**
 * A run: the executor moves each node from state to state, and what a node has in its hands is its frame. It knows kernels, and
 * nothing of what they send.
 */
package dev.verbena.graph.run.execution;
