package dev.verbena.cli.doctor;

import java.util.List;

/** What a device lacks that programs written for other devices use. What the fabric makes up for is a caution all the same. */
final class NatureCheck implements Check {
    private static final String NAME = "abilities";

    @Override
    public List<Finding> look(Machine machine) {
        return machine.devices().stream().filter(device -> device.attributes() != null).map(NatureCheck::judge)
                .toList();
    }

    private static Finding judge(DeviceSeen device) {
        DeviceNature nature = device.nature();
        String title = device.name() + " speaks " + nature.speaks()
                + (nature.software().isEmpty() ? ""
                        : " in software (" + nature.software() + "), for tests, not for speed");
        return nature.lacks().isEmpty() ? Finding.ok(NAME, title)
                : Finding.warning(NAME, title + "; it " + String.join(", ", nature.lacks()),
                        "train and task use none of what it lacks; perf atomic_lat needs atomics, and programs of yours"
                                + " that use the bindings must do without");
    }
}
