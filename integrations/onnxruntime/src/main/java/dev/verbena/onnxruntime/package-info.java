/**
 * A model in parts, and the processes that run them.
 *
 * <pre>
 *   ModelPlan: which node is in which part, what crosses, from whom to whom ──► CrossingTensor
 *     │
 *     ├──► PartRunner, one for each part: Inlets, a PartSession over ModelWeights, Outlets
 *     └──► PartClient: sends a model's inputs, has its outputs
 *
 *   WholeModel: the same in one session, to compare with
 * </pre>
 */
package dev.verbena.onnxruntime;
