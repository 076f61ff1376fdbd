package dev.verbena.cli.doctor;

import java.util.List;

/** How many files this process may have open: a connection takes several. */
final class OpenFilesCheck implements Check {
    private static final String NAME = "open files";
    /** Java itself takes some dozens, a connection up to ten, and a device is made for 64 of them. */
    private static final long ENOUGH = 1024;

    @Override
    public List<Finding> look(Machine machine) {
        long limit = ProcessLimits.soft(machine.files(), "Max open files");
        if (limit < 0) {
            return List.of(Finding.warning(NAME, "the limit cannot be read", "look at ulimit -n"));
        }
        String seen = limit == ProcessLimits.UNLIMITED ? "no limit" : "at most " + limit;
        return List.of(limit >= ENOUGH ? Finding.ok(NAME, seen)
                : Finding.warning(NAME, seen, "ulimit -n " + ENOUGH + " or more, for many connections"));
    }
}
