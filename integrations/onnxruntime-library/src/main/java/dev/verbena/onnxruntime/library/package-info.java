/** Where ONNX Runtime is loaded, for whoever runs models with it. */
package dev.verbena.onnxruntime.library;
