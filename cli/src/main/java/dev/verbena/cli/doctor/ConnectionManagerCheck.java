package dev.verbena.cli.doctor;

import java.util.List;

/** Devices that connect through rdma_cm only need its device file; containers that were given the device's own often lack it. */
final class ConnectionManagerCheck implements Check {
    private static final String NAME = "rdma_cm";
    private static final String FILE = "/dev/infiniband/rdma_cm";

    @Override
    public List<Finding> look(Machine machine) {
        return machine.devices().stream().filter(device -> device.transport().needsConnectionManager())
                .map(device -> judge(machine, device.name())).toList();
    }

    private static Finding judge(Machine machine, String device) {
        String[] stops = machine.port() != null && machine.port().device().equals(device) ? new String[]{VERBS}
                : new String[0];
        if (!machine.files().exists(FILE)) {
            return Finding.problem(NAME, device + " connects through rdma_cm only, and " + FILE + " is missing",
                    "modprobe rdma_ucm; in a container docker run --device=" + FILE, stops);
        }
        return machine.files().isUsable(FILE)
                ? Finding.ok(NAME, device + " connects through " + FILE + ", which can be opened")
                : Finding.problem(NAME, FILE + ", through which " + device
                        + " connects, may not be read and written by this process", "chmod 666 " + FILE, stops);
    }
}
