/** Devices, channels, protocols and the fabrics that move tensors without copying them. */
module dev.verbena.transfer {
    requires transitive dev.verbena.allocator;
    requires dev.verbena.bindings;
    requires jdk.jfr;
    requires jdk.net;
    requires org.agrona;
    requires org.jctools.core;
    requires org.slf4j;

    exports dev.verbena.transfer;
    exports dev.verbena.transfer.spi;

    uses dev.verbena.transfer.spi.FabricProvider;

    provides dev.verbena.transfer.spi.FabricProvider
            with dev.verbena.transfer.fabric.verbs.VerbsFabricProvider, dev.verbena.transfer.fabric.shm.ShmFabricProvider;
}
