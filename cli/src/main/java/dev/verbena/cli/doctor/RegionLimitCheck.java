package dev.verbena.cli.doctor;

import java.util.List;

/** How large a region the devices take, against what a run registers. */
final class RegionLimitCheck implements Check {
    private static final String NAME = "region limit";

    @Override
    public List<Finding> look(Machine machine) {
        return machine.devices().stream().filter(device -> device.attributes() != null)
                .map(device -> judge(device.name(), device.attributes().limits().regionByteSizeMax(),
                        machine.neededByteSize()))
                .toList();
    }

    private static Finding judge(String name, long max, long needed) {
        String seen = name + " takes regions of " + (max == -1 ? "any size"
                : Long.toUnsignedString(max) + " bytes");
        return Long.compareUnsigned(needed, max) <= 0 ? Finding.ok(NAME, seen)
                : Finding.warning(NAME, seen + ", a run needs " + needed,
                        "let arenas grow by slabs of at most that size, and give no tensor more");
    }
}
