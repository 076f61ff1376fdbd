package dev.verbena.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.transfer.spi.Setting;

/**
 * What one fabric says of itself here.
 *
 * @param problem why it cannot be used; null where it can
 * @param capabilities null where it cannot be used
 */
record FabricInfo(String name, String problem, Capabilities capabilities, List<Setting> settings) {
    static FabricInfo of(FabricProvider provider, NetworkOptions network) {
        String problem = provider.unavailableReason(network);
        if (problem != null) {
            return new FabricInfo(provider.name(), problem, null, List.of());
        }
        try (Fabric fabric = provider.open(network)) {
            return new FabricInfo(provider.name(), null, fabric.capabilities(), provider.settings(network));
        } catch (RuntimeException e) {
            // It looked usable from outside: what opening it says is the answer.
            return new FabricInfo(provider.name(), Complaint.of(e), null, List.of());
        }
    }

    /** What 'auto' selects of these, the preferred first. */
    static Map<String, Object> auto(List<FabricInfo> fabrics) {
        List<String> passedOver = new ArrayList<>();
        for (FabricInfo fabric : fabrics) {
            if (fabric.problem == null) {
                return entries("fabric", fabric.name, "reason", passedOver.isEmpty()
                        ? "the preferred one of those that this build has"
                        : "the best that can be used, after " + String.join("; ", passedOver));
            }
            passedOver.add(fabric.name + ": " + fabric.problem);
        }
        return entries("fabric", "none", "reason", String.join("; ", passedOver));
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = entries("fabric", name, "usable", problem == null);
        if (problem != null) {
            map.put("reason", problem);
            return map;
        }
        map.put("capabilities", entries("writesInOrder", capabilities.writesInOrder(), "wakesOnWrite",
                capabilities.wakesOnWrite(), "messageByteSizeMax", capabilities.messageByteSizeMax(),
                "regionByteSizeMax", capabilities.regionByteSizeMax(), "depthMax", capabilities.depthMax(),
                "elementCountMax", capabilities.elementCountMax(), "readElementCountMax",
                capabilities.readElementCountMax(), "hasAtomics", capabilities.hasAtomics(), "mapsPeerMemory",
                capabilities.mapsPeerMemory()));
        map.put("settings", settings.stream().map(FabricInfo::toMap).toList());
        return map;
    }

    static Map<String, Object> toMap(Setting setting) {
        return entries("name", setting.name(), "value", setting.value(), "reason", setting.reason());
    }

    private static Map<String, Object> entries(Object... namesAndValues) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            map.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return map;
    }
}
