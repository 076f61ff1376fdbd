package dev.verbena.graph;

/**
 * An operation whose only output always is the storage of its only input: what reads the output reads the input. Lets
 * {@link ControlEdges} see aliases of a variable before the run; operations that forward without saying so are caught by the
 * executor's reference counts.
 */
interface Forwarding {}
