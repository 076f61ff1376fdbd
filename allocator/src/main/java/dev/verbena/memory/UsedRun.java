package dev.verbena.memory;

/**
 * What the address of a block leads to: the run that it begins in.
 *
 * <p><b>Owner:</b> {@link SlabPages}. <b>Threading:</b> as the run.
 */
abstract sealed class UsedRun permits SlotRun, PageRun {}
