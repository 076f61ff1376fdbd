package dev.verbena.cli;

import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;

import dev.verbena.transfer.spi.FabricProvider;

/** The fabrics on the class path, and which one a name selects here. */
final class Fabrics {
    static final String AUTO = "auto";
    static final String SHM = "shm";

    private Fabrics() {}

    /** All of them, the preferred first. */
    static List<FabricProvider> all() {
        return ServiceLoader.load(FabricProvider.class).stream().map(ServiceLoader.Provider::get)
                .sorted(Comparator.comparingInt(FabricProvider::preference).reversed()).toList();
    }

    /** The name of the fabric that a device of that option will have. @throws BadInputException if it cannot be had here */
    static String select(String name) {
        List<FabricProvider> all = all();
        if (name.equals(AUTO)) {
            return all.stream().filter(each -> each.unavailableReason() == null).findFirst().map(FabricProvider::name)
                    .orElseThrow(() -> new BadInputException("no fabric can be used here: " + all.stream()
                            .map(each -> each.name() + ": " + each.unavailableReason()).toList()));
        }
        FabricProvider provider = all.stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> new BadInputException("--fabric=" + name + " is unknown; give auto or one of "
                        + all.stream().map(FabricProvider::name).toList()));
        String reason = provider.unavailableReason();
        if (reason != null) {
            throw new BadInputException("--fabric=" + name + " cannot be used here: " + reason);
        }
        return name;
    }
}
