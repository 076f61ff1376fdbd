/** Data-flow graphs, their static analysis, the allocation-site tracer (which stands alone) and the executor. */
module dev.verbena.graph {
    requires transitive dev.verbena.allocator;
    requires transitive dev.verbena.transfer;
    requires com.google.protobuf;
    requires org.jctools.core;
    requires org.slf4j;

    exports dev.verbena.graph;
    exports dev.verbena.graph.gradient;
    exports dev.verbena.graph.onnx;
    exports dev.verbena.graph.partition;
    exports dev.verbena.graph.plan;
    exports dev.verbena.graph.run;
    exports dev.verbena.trace;
}
