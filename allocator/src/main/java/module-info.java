/** Arenas of tensors carved from large slabs; knows nothing of verbs or networks. */
module dev.verbena.allocator {
    requires java.xml;
    requires jdk.jfr;

    exports dev.verbena.memory;
}
