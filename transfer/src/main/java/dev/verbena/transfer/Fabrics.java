package dev.verbena.transfer;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;

/**
 * Finds the fabric that a user named.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class Fabrics {
    private Fabrics() {}

    /** {@code auto}: of those that work here the one with the highest preference. */
    static Fabric open(String name) {
        List<FabricProvider> providers = ServiceLoader.load(FabricProvider.class, Fabrics.class.getClassLoader())
                .stream()
                .map(ServiceLoader.Provider::get).sorted(Comparator.comparingInt(FabricProvider::preference).reversed())
                .toList();
        StringBuilder reasons = new StringBuilder();
        for (FabricProvider provider : providers) {
            if (name.equals("auto") || name.equals(provider.name())) {
                String reason = provider.unavailableReason();
                if (reason == null) {
                    return provider.open();
                }
                reasons.append(' ').append(provider.name()).append(": ").append(reason);
            }
        }
        String known = String.join(", ", providers.stream().map(FabricProvider::name).toList());
        throw new TransferException(reasons.isEmpty()
                ? "no fabric '" + name + "'; there are auto, " + known
                : "fabric '" + name + "' cannot be used here:" + reasons);
    }
}
