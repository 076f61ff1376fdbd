/** Arrow's vectors in arenas: each buffer that an allocator of Arrow hands out is a tensor of registered memory, and batches are sent as they lie. */
module dev.verbena.arrow {
    requires transitive dev.verbena.allocator;
    requires transitive dev.verbena.transfer;
    requires transitive org.apache.arrow.memory.core;
    requires transitive org.apache.arrow.vector;
    requires flatbuffers.java;
    requires org.apache.arrow.format;

    exports dev.verbena.arrow;
}
