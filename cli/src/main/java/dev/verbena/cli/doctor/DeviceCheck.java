package dev.verbena.cli.doctor;

import java.util.List;

/** Whether there is a device and it answers. */
final class DeviceCheck implements Check {
    private static final String NAME = "RDMA devices";

    @Override
    public List<Finding> look(Machine machine) {
        if (machine.devices().isEmpty()) {
            return List.of(machine.hasRdma()
                    ? Finding.problem(NAME, "the kernel has some and libibverbs finds none",
                            "see that their files under /dev/infiniband are there and may be opened, and install their"
                                    + " providers (Debian: ibverbs-providers)",
                            VERBS)
                    : Finding.warning(NAME, "there is none", machine.verbsProblem(), VERBS));
        }
        return machine.devices().stream()
                .map(device -> device.problem() == null
                        ? Finding.ok(NAME, device.name() + " with " + device.ports().size() + " ports")
                        : Finding.problem(NAME, device.name() + " does not answer", device.problem()))
                .toList();
    }
}
