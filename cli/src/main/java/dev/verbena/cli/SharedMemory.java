package dev.verbena.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.cli.doctor.MachineMemory;
import dev.verbena.transfer.RdmaDevice;

/** Where the shm fabric's regions lie, and whether a run fits. */
final class SharedMemory {
    /** The fabric that lives there. */
    static final String FABRIC = "shm";

    private SharedMemory() {}

    /** Bytes that could be written to the folder now. @throws BadInputException if there is no such folder */
    private static long usableByteSize(String folder) {
        try {
            return Files.getFileStore(Path.of(folder)).getUsableSpace();
        } catch (IOException _) {
            throw new BadInputException("shared memory folder " + folder
                    + " cannot be used; mount a tmpfs there or name another folder in VERBENA_SHM_DIR");
        }
    }

    /** Everything that a run takes: servers talk with all tasks at most, workers with servers. */
    static long neededByteSize(long plannedByteSize, int servers, int workers, int queueDepth) {
        return plannedByteSize + servers * RdmaDevice.overheadByteSize(servers - 1 + workers, queueDepth)
                + workers * RdmaDevice.overheadByteSize(servers, queueDepth);
    }

    /** Checks that so much fits, before any of it is taken. */
    static void require(long need) {
        String folder = System.getenv("VERBENA_SHM_DIR");
        if (folder == null || folder.isBlank()) {
            requireOfMachine(need);
            return;
        }
        long have = usableByteSize(folder);
        if (need > have) {
            throw new BadInputException("not enough shared memory in " + folder + ": need " + need + " bytes, have "
                    + have + "; enlarge it (mount -o remount,size=" + (need + (1 << 20) - 1 >> 20) + "m " + folder
                    + ") or name another tmpfs in VERBENA_SHM_DIR");
        }
    }

    private static void requireOfMachine(long need) {
        try {
            long have = MachineMemory.availableByteSize(Files.readString(Path.of("/proc/meminfo")));
            if (need > have) {
                throw new BadInputException("not enough memory to share: need " + need + " bytes, have " + have
                        + "; end other programs, or take a smaller batch or fewer workers");
            }
        } catch (IOException e) {
            throw new BadInputException("/proc/meminfo cannot be read: " + e.getMessage() + "; mount /proc");
        }
    }
}
