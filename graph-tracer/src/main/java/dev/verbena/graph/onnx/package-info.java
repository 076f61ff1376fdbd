/**
 * ONNX models: reading them, and finding out the type and shape of each tensor before anything runs.
 *
 * <pre>
 *   OnnxReader ──► wire.ModelReader, GraphReader, NodeReader ... over WireReader, over protobuf's CodedInputStream
 *     │  OnnxGraph, OnnxNode, OnnxAttribute, OnnxTensor, ValueInfo
 *     ▼
 *   ShapeInference ──► InferencePass: nodes in GraphOrder, each by the ShapeFunction
 *     │                that ShapeFunctions has by (domain, operator, since version); those of ONNX are in `operator`
 *     │                RegionInference for those that hold graphs: a pass for each, within the one around it
 *     │                ShapeContext is how a ShapeFunction sees its node
 *     ▼
 *   InferredShapes: TensorFacts by name: type, SymbolicShape of Dimensions, Contents, and why it is dynamic
 * </pre>
 *
 * What is malformed or contradicts itself is an {@link dev.verbena.graph.onnx.OnnxException}, and nothing else.
 */
package dev.verbena.graph.onnx;
