/**
 * Gradients by rules: what a loss depends on is walked backwards, and for each operation its rule appends the nodes that compute the
 * gradient of its inputs.
 */
package dev.verbena.graph.gradient;
