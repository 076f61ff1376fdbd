package dev.verbena.cli.doctor;

import java.util.List;

/** What the fabrics themselves say. */
final class FabricCheck implements Check {
    private static final String NAME = "fabrics";

    @Override
    public List<Finding> look(Machine machine) {
        return machine.fabrics().entrySet().stream()
                .map(fabric -> fabric.getValue().isEmpty() ? Finding.ok(NAME, fabric.getKey() + " can be used")
                        : Finding.warning(NAME, fabric.getKey() + " cannot be used", fabric.getValue(),
                                fabric.getKey()))
                .toList();
    }
}
