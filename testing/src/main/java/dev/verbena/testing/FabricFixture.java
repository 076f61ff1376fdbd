package dev.verbena.testing;

import dev.verbena.transfer.spi.Fabric;

/** What the parts of {@link FabricContract} need. */
interface FabricFixture {
    /** A fabric of its own, as another process would have it; closed with the test. */
    Fabric openFabric();

    /** Two connected sides with roomy defaults; closed with the test. */
    FabricPair connect();

    FabricPair connect(FabricPair.Options options);
}
