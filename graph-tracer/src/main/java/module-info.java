/** Data-flow graphs, their static analysis, the allocation-site tracer and the executor. */
module dev.verbena.graph {
    requires transitive dev.verbena.allocator;
    requires transitive dev.verbena.transfer;
    requires org.jctools.core;
    requires org.slf4j;

    exports dev.verbena.graph;
}
