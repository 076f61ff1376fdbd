package dev.verbena.cli.doctor;

import java.util.List;

/** Looks at one thing; finds nothing where there is nothing to look at. */
interface Check {
    /** The fabrics that findings can stop. */
    String SHM = "shm";
    String VERBS = "verbs";

    List<Finding> look(Machine machine);
}
