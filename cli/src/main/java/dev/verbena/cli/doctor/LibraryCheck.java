package dev.verbena.cli.doctor;

import java.util.List;

import dev.verbena.verbs.VerbsLibrary;

/** The libraries of rdma-core; without libibverbs there are no verbs. */
final class LibraryCheck implements Check {
    private static final String NAME = "libraries";

    @Override
    public List<Finding> look(Machine machine) {
        return machine.libraries().stream().map(LibraryCheck::judge).toList();
    }

    private static Finding judge(VerbsLibrary library) {
        if (library.problem() != null) {
            return Finding.warning(NAME, library.soname() + " cannot be used", library.problem(), VERBS);
        }
        String release = library.release();
        return Finding.ok(NAME, library.soname() + (release == null ? "" : " of rdma-core " + release) + ", "
                + library.path());
    }
}
