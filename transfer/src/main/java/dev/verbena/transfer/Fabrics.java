package dev.verbena.transfer;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

import dev.verbena.transfer.fabric.NativeAccess;
import dev.verbena.transfer.spi.FabricProvider;

/**
 * The fabrics that are there, and which one a name selects.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Fabrics {
    /** The name that selects, of the fabrics that can be used here, the preferred one. */
    public static final String AUTO = "auto";

    private Fabrics() {}

    /** All of them, usable here or not, the preferred first. */
    public static List<FabricProvider> all() {
        return ServiceLoader.load(FabricProvider.class, Fabrics.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(FabricProvider::preference).reversed()).toList();
    }

    /**
     * The fabric of that name, or the preferred one for {@link #AUTO}, that can be used here with these options.
     *
     * @throws TransferException if there is none of that name or it cannot be used here; the message says why
     */
    public static FabricProvider select(String name, NetworkOptions network) {
        NativeAccess.require();
        List<FabricProvider> all = all();
        StringBuilder reasons = new StringBuilder();
        for (FabricProvider provider : all) {
            if (name.equals(AUTO) || name.equals(provider.name())) {
                String reason = provider.unavailableReason(network);
                if (reason == null) {
                    return provider;
                }
                reasons.append(' ').append(provider.name()).append(": ").append(reason);
            }
        }
        throw new TransferException(reasons.isEmpty()
                ? "this build has no fabric '" + name + "'; give " + AUTO + " or one of "
                        + all.stream().map(FabricProvider::name).toList()
                : "fabric '" + name + "' cannot be used here:" + reasons);
    }
}
