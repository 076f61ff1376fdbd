/**
 * A fabric without a network, in one thread, in virtual time: what happens when, a seed and a {@link dev.verbena.testing.sim.FaultPlan}
 * decide, so that what went wrong once goes wrong again. {@code docs/guide/simulation.md} has an example.
 */
package dev.verbena.testing.sim;
