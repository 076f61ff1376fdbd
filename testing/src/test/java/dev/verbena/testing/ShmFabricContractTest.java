package dev.verbena.testing;

import java.util.ServiceLoader;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;

class ShmFabricContractTest extends FabricContract {
    @Override
    protected Fabric open() {
        return openShm();
    }

    static Fabric openShm() {
        return openShm(NetworkOptions.defaults());
    }

    static Fabric openShm(NetworkOptions network) {
        return ServiceLoader.load(FabricProvider.class).stream().map(ServiceLoader.Provider::get)
                .filter(provider -> provider.name().equals("shm")).findFirst().orElseThrow()
                .open(network);
    }
}
