package dev.verbena.cli.doctor;

import java.util.List;

/** The kernel's part of verbs. */
final class KernelModuleCheck implements Check {
    private static final String NAME = "kernel modules";

    @Override
    public List<Finding> look(Machine machine) {
        boolean hasSoftware = machine.files().exists("/sys/module/rdma_rxe");
        if (!machine.files().exists("/sys/module/ib_uverbs")) {
            return List.of(Finding.warning(NAME, "ib_uverbs is not loaded",
                    "modprobe ib_uverbs and the driver of your adapter, or, for soft-RoCE, rdma_rxe", VERBS));
        }
        return List
                .of(Finding.ok(NAME, "ib_uverbs is loaded, rdma_rxe (soft-RoCE) " + (hasSoftware ? "too" : "is not")));
    }
}
