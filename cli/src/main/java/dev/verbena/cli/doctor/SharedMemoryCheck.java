package dev.verbena.cli.doctor;

import java.util.List;

/** Whether what a run registers fits into this machine's memory, or into the tmpfs that the shm fabric is told to take it from. */
final class SharedMemoryCheck implements Check {
    private static final String NAME = "shared memory";
    private static final String VARIABLE = "VERBENA_SHM_DIR";

    @Override
    public List<Finding> look(Machine machine) {
        String folder = machine.environment().getOrDefault(VARIABLE, "");
        return folder.isBlank() ? ofMachine(machine) : ofFolder(machine, folder);
    }

    private static List<Finding> ofMachine(Machine machine) {
        long available = MachineMemory.availableByteSize(machine.files().read("/proc/meminfo"));
        String seen = "this machine has " + available + " bytes of memory to share, a run registers "
                + machine.neededByteSize();
        return List.of(available >= machine.neededByteSize() ? Finding.ok(NAME, seen)
                : Finding.problem(NAME, seen, "end other programs, or take fewer workers", SHM));
    }

    private static List<Finding> ofFolder(Machine machine, String folder) {
        long usable = machine.files().usableByteSize(folder);
        if (usable < 0) {
            return List.of(Finding.problem(NAME, folder + " is not there",
                    "mount a tmpfs there, or name another one in " + VARIABLE, SHM));
        }
        long needed = machine.neededByteSize();
        String seen = folder + " has " + usable + " bytes free, a run registers " + needed;
        return List.of(usable >= needed ? Finding.ok(NAME, seen)
                : Finding.problem(NAME, seen, "mount -o remount,size=" + (needed + (1 << 20) - 1 >> 20) + "m " + folder
                        + ", or name another tmpfs in " + VARIABLE, SHM));
    }
}
