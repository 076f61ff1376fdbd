package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.List;

/** Whether this process may open the devices that the kernel shows: a container sees all of sysfs and is given no device. */
final class DeviceFileCheck implements Check {
    private static final String NAME = "device files";
    private static final String CLASS = "/sys/class/infiniband_verbs/";

    @Override
    public List<Finding> look(Machine machine) {
        List<Finding> findings = new ArrayList<>();
        for (String name : machine.files().names(CLASS)) {
            if (name.startsWith("uverbs")) {
                findings.add(judge(machine.files(), name));
            }
        }
        return findings;
    }

    private static Finding judge(SystemFiles files, String name) {
        String file = "/dev/infiniband/" + name;
        String what = file + " of " + files.read(CLASS + name + "/ibdev");
        if (!files.exists(file)) {
            return Finding.problem(NAME, what + " is missing, although the kernel has the device",
                    "in a container: give it the device (docker run --device=" + file
                            + " --device=/dev/infiniband/rdma_cm --cap-add=IPC_LOCK); else see that udev runs",
                    VERBS);
        }
        return files.isUsable(file) ? Finding.ok(NAME, what + " can be opened")
                : Finding.problem(NAME, what + " may not be read and written by this user",
                        "chmod 666 " + file + ", or a udev rule that does it (rdma-core has one)", VERBS);
    }
}
