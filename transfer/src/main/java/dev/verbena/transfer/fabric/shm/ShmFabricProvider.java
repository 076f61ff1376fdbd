package dev.verbena.transfer.fabric.shm;

import java.util.List;
import java.util.Set;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.fabric.NativeAccess;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.transfer.spi.Setting;

/**
 * Opens the shared-memory fabric: the default where there is no RDMA device.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 *
 * <p>The shared memory is the kernel's own, in sealed files, or comes from the tmpfs that the environment variable
 * {@code VERBENA_SHM_DIR} names.
 */
public final class ShmFabricProvider implements FabricProvider {
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");

    /** For the service loader. */
    public ShmFabricProvider() {}

    @Override
    public String name() {
        return ShmFabric.NAME;
    }

    @Override
    public int preference() {
        return 10;
    }

    @Override
    public String unavailableReason(NetworkOptions network) {
        String refusal = NativeAccess.problem();
        return refusal != null ? refusal
                : unavailableReason(System.getProperty("os.name"), System.getProperty("os.arch"),
                        ShmFiles.ofEnvironment());
    }

    static String unavailableReason(String system, String architecture, ShmFiles files) {
        if (!system.equals("Linux")) {
            return "fabric shm works on Linux only, this is " + system;
        }
        if (!ARCHITECTURES.contains(architecture)) {
            return "fabric shm works on x86-64 and aarch64 only, this is " + architecture;
        }
        return files.unavailableReason();
    }

    @Override
    public List<Setting> settings(NetworkOptions network) {
        return List.of(ShmFiles.ofEnvironment().toSetting());
    }

    @Override
    public Fabric open(NetworkOptions network) {
        return ShmFabric.open(ShmFiles.ofEnvironment(), ShmFabric.HANDSHAKE_TIMEOUT_NS, network);
    }
}
