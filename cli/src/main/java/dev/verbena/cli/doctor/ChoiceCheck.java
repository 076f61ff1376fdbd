package dev.verbena.cli.doctor;

import java.util.List;

import dev.verbena.transfer.spi.Setting;

/** What an RDMA fabric would use, with the options and variables given. */
final class ChoiceCheck implements Check {
    private static final String NAME = "port to use";

    @Override
    public List<Finding> look(Machine machine) {
        if (machine.devices().isEmpty()) {
            return List.of(); // Said already, and better.
        }
        if (machine.port() == null) {
            return List.of(Finding.problem(NAME, "there is none", machine.portProblem(), VERBS));
        }
        StringBuilder seen = new StringBuilder();
        for (Setting setting : machine.port().settings()) {
            seen.append(seen.isEmpty() ? "" : ", ").append(setting.name()).append(' ').append(setting.value());
        }
        return List.of(Finding.ok(NAME, seen.toString()));
    }
}
