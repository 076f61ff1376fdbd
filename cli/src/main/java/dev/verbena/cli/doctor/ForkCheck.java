package dev.verbena.cli.doctor;

import java.util.List;

/** What becomes of registered memory where code in the process forks. */
final class ForkCheck implements Check {
    private static final String NAME = "fork";

    @Override
    public List<Finding> look(Machine machine) {
        if (machine.fork() == null) {
            return List.of();
        }
        return List.of(switch (machine.fork()) {
            case UNNEEDED -> Finding.ok(NAME, "the kernel copies registered memory for a child that forks");
            case ENABLED -> Finding.warning(NAME, "libibverbs keeps registered memory out of children, which splits"
                    + " mappings and makes registration slow",
                    "unset RDMAV_FORK_SAFE and IBV_FORK_SAFE where no code"
                            + " of yours forks (Java's own processes don't), or use Linux 5.12 or newer");
            case DISABLED -> Finding.warning(NAME, "native code that forks would take registered memory away from this"
                    + " process",
                    "use Linux 5.12 or newer, set RDMAV_FORK_SAFE=1, or let no native code fork (Java's"
                            + " own processes don't)");
        });
    }
}
