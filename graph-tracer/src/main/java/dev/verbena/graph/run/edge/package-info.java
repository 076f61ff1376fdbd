/**
 * Both ends of crossing edges: kernels that send and receive, what is counted of it, and notices, by which tasks tell each other what they run.
 */
package dev.verbena.graph.run.edge;
