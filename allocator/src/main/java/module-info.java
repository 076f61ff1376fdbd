/** Arenas of tensors carved from large slabs; knows nothing of verbs or networks. */
module dev.verbena.allocator {
    exports dev.verbena.memory;
}
