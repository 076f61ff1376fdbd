/**
 * Training of DJL's PyTorch models by several processes, each with the same model and its own part of each batch.
 *
 * <pre>
 *   VerbenaDataParallel ──► DataParallelTrainer, one of DJL's ──► ModelMemory ──► Bucket: parameters │ gradients, tensors of an arena
 *     a device, a group       initialize: broadcast                                   ▲ PyTorch writes and reads here
 *                             step: all-reduce, then update                           └ the group reduces here, in place
 *   ShardSampler: which samples of a batch are whose
 *   PyTorch: loads the library, and leaves nothing of it behind
 * </pre>
 */
package dev.verbena.djl;
