package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.Provider;
import dev.verbena.verbs.TransportType;

/**
 * What a device can do and what it cannot, of all that adapters differ in: from its transport and its attributes, whatever its name.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param speaks InfiniBand, RoCE or iWARP
 * @param software the provider that does in software what an adapter does, such as rxe; empty for an adapter
 * @param lacks in words, what programs miss that were written for other devices
 * @param facts all of it, each with where it comes from
 */
public record DeviceNature(String speaks, String software, List<String> lacks, List<Setting> facts) {
    /** IBV_DEVICE_MEM_WINDOW, and those of type 2A and 2B. */
    private static final int WINDOW_FLAGS = 1 << 17 | 1 << 23 | 1 << 24;

    public DeviceNature {
        lacks = List.copyOf(lacks);
        facts = List.copyOf(facts);
    }

    public static DeviceNature of(TransportType transport, Provider provider, DeviceAttributes attributes) {
        DeviceLimits limits = attributes.limits();
        boolean isIwarp = transport == TransportType.IWARP;
        String speaks = speaks(transport, attributes);
        String software = provider.isSoftware() ? provider.name() : "";
        boolean hasAtomics = transport.hasAtomics() && limits.atomicCapability() != 0;
        boolean hasWindows = limits.memoryWindowCountMax() > 0 && (limits.capabilityFlags() & WINDOW_FLAGS) != 0;
        int readElements = limits.readElementCountMax();

        List<String> lacks = new ArrayList<>();
        addIf(lacks, transport.needsConnectionManager(), "connects through rdma_cm only");
        addIf(lacks, !hasAtomics, "has no atomics");
        addIf(lacks, !transport.hasImmediates(), "has no immediates");
        addIf(lacks, !transport.hasDatagrams(), "has no datagrams");
        addIf(lacks, readElements <= 1, "reads into one element only");
        addIf(lacks, !hasWindows, "has no memory windows");

        String byTransport = isIwarp ? "iWARP has none, RFC 5040" : "as the transport has them";
        return new DeviceNature(speaks, software, lacks, List.of(
                new Setting("speaks", speaks, "transport " + transport + ", link layer " + linkLayer(attributes)),
                new Setting("provider", provider.name().isEmpty() ? "unknown" : provider.name(), provider.isSoftware()
                        ? "in software, for tests and not for speed"
                        : "as rdma-core names it"),
                new Setting("connects", transport.needsConnectionManager() ? "through rdma_cm only"
                        : "directly or through rdma_cm", isIwarp ? "RFC 5044" : "as the transport allows"),
                new Setting("atomics", yesNo(hasAtomics), transport.hasAtomics() ? "atomic_cap=" + limits
                        .atomicCapability() : byTransport),
                new Setting("immediates", yesNo(transport.hasImmediates()), byTransport),
                new Setting("datagrams", yesNo(transport.hasDatagrams()), byTransport),
                new Setting("readElements", Integer.toString(readElements), "max_sge_rd, which a read scatters to"),
                new Setting("memoryWindows", yesNo(hasWindows), "max_mw=" + limits.memoryWindowCountMax()
                        + ", device_cap_flags=0x%08x".formatted(limits.capabilityFlags()))));
    }

    private static String speaks(TransportType transport, DeviceAttributes attributes) {
        return transport == TransportType.INFINIBAND && linkLayer(attributes) == LinkLayer.ETHERNET ? "RoCE"
                : transport.toString();
    }

    /** Of its first port: the others of an adapter are alike, or it is configured as two devices. */
    private static LinkLayer linkLayer(DeviceAttributes attributes) {
        return attributes.ports().isEmpty() ? LinkLayer.UNSPECIFIED : attributes.ports().getFirst().linkLayer();
    }

    private static void addIf(List<String> lacks, boolean isLacking, String words) {
        if (isLacking) {
            lacks.add(words);
        }
    }

    private static String yesNo(boolean has) {
        return has ? "yes" : "no";
    }
}
