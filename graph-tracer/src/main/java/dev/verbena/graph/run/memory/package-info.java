/**
 * What outputs and variables lie in: how many still need it, whether it is registered, and which allocations the tracer has to hear of.
 * It knows nothing of who runs.
 */
package dev.verbena.graph.run.memory;
