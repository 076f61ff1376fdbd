/** ONNX models in parts: each part is run by ONNX Runtime in a process of its own, and what crosses is written straight from one to the next. */
module dev.verbena.onnxruntime {
    requires transitive dev.verbena.graph;
    requires dev.verbena.onnxruntime.library;
    requires com.microsoft.onnxruntime;

    exports dev.verbena.onnxruntime;
}
