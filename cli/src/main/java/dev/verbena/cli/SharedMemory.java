package dev.verbena.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.RdmaDevice;

/** The file system that the shm fabric keeps its regions in, and whether a run fits. */
final class SharedMemory {
    /** The fabric that lives there. */
    static final String FABRIC = "shm";

    private SharedMemory() {}

    static Path folder() {
        String folder = System.getenv("VERBENA_SHM_DIR");
        return Path.of(folder == null || folder.isBlank() ? "/dev/shm" : folder);
    }

    /** Bytes that could be written there now. @throws BadInputException if there is no such folder */
    static long usableByteSize() {
        try {
            return Files.getFileStore(folder()).getUsableSpace();
        } catch (IOException _) {
            throw new BadInputException("shared memory folder " + folder()
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
        long have = usableByteSize();
        if (need > have) {
            throw new BadInputException("not enough shared memory in " + folder() + ": need " + need + " bytes, have "
                    + have + "; enlarge it (mount -o remount,size=" + (need + (1 << 20) - 1 >> 20) + "m " + folder()
                    + ") or name another tmpfs in VERBENA_SHM_DIR");
        }
    }
}
