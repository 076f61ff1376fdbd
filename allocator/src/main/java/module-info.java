/** Arenas of tensors carved from large slabs; knows nothing of verbs or networks. */
module dev.verbena.allocator {
    requires jdk.jfr;

    exports dev.verbena.memory;
}
