/**
 * Apache Arrow over arenas of ours.
 *
 * <pre>
 *   RootAllocator ──► VerbenaAllocationManager, one for each allocation ──► a pinned Tensor of a TensorArena ──► a slab, registered
 *     accounts, limits, counts references                                     memory, and nothing else
 *
 *   VerbenaStreamWriter ──► DynamicTensorSender ┄┄ each buffer, from where it lies ┄┄► DynamicTensorReceiver ──► VerbenaStreamReader
 *
 *   ArenaRoundingPolicy: asks for what a block has, instead of a power of two
 * </pre>
 */
package dev.verbena.arrow;
