package dev.verbena.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.RdmaDevice;

/** The file system that the shm fabric keeps its regions in, and whether a run fits. */
final class SharedMemory {
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

    /** Checks that the planned bytes and the tasks' overhead fit, before any of it is written: a full tmpfs kills who touches it. */
    static void require(long plannedByteSize, int tasks) {
        long need = plannedByteSize + tasks * RdmaDevice.overheadByteSize(tasks - 1);
        long have = usableByteSize();
        if (need > have) {
            throw new BadInputException("not enough shared memory in " + folder() + ": need " + need + " bytes, have "
                    + have + "; enlarge it (mount -o remount,size=" + (need + (1 << 20) >> 20) + "m " + folder()
                    + ") or name another tmpfs in VERBENA_SHM_DIR");
        }
    }
}
