/** PyTorch models of DJL, trained by several processes: parameters and gradients lie in registered memory, and gradients are reduced there. */
module dev.verbena.djl {
    requires transitive ai.djl.api;
    requires transitive dev.verbena.allocator;
    requires transitive dev.verbena.transfer;

    exports dev.verbena.djl;
}
