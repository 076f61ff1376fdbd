package dev.verbena.cli.doctor;

import java.util.List;

/** Whether what a run registers fits into the tmpfs that the shm fabric takes its memory from. */
final class SharedMemoryCheck implements Check {
    private static final String NAME = "shared memory";
    private static final String VARIABLE = "VERBENA_SHM_DIR";

    @Override
    public List<Finding> look(Machine machine) {
        String named = machine.environment().getOrDefault(VARIABLE, "");
        String folder = named.isBlank() ? "/dev/shm" : named;
        long usable = machine.files().usableByteSize(folder);
        if (usable < 0) {
            return List.of(Finding.problem(NAME, folder + " is not there",
                    "mount a tmpfs there, or name another one in " + VARIABLE, SHM));
        }
        long needed = machine.neededByteSize();
        String seen = folder + " has " + usable + " bytes free, a run registers " + needed;
        return List.of(usable >= needed ? Finding.ok(NAME, seen)
                : Finding.problem(NAME, seen, "mount -o remount,size=" + (needed + (1 << 20) - 1 >> 20) + "m " + folder
                        + ", docker run --shm-size, or name another tmpfs in " + VARIABLE, SHM));
    }
}
