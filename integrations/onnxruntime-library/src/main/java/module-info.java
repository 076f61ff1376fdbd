/** ONNX Runtime's native library, loaded once in a process. */
module dev.verbena.onnxruntime.library {
    requires transitive com.microsoft.onnxruntime;

    exports dev.verbena.onnxruntime.library;
}
