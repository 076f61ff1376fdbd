package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.spi.Setting;

/**
 * The directory of a tmpfs where shared memory comes from: {@code /dev/shm}, or what the environment variable
 * {@code VERBENA_SHM_DIR} names. No file ever has a name in it.
 *
 * @param path of the directory
 */
record ShmDirectory(Path path) {
    static final String ENVIRONMENT_VARIABLE = "VERBENA_SHM_DIR";
    private static final ShmDirectory DEFAULT = new ShmDirectory(Path.of("/dev/shm"));

    static ShmDirectory ofEnvironment() {
        String path = System.getenv(ENVIRONMENT_VARIABLE);
        return path == null || path.isBlank() ? DEFAULT : new ShmDirectory(Path.of(path));
    }

    Setting toSetting() {
        return new Setting("folder", path.toString(), this.equals(DEFAULT)
                ? "the default; " + ENVIRONMENT_VARIABLE + " would name another"
                : ENVIRONMENT_VARIABLE + " names it");
    }

    /** Why it cannot be used, or null. */
    String unavailableReason() {
        if (!Files.isDirectory(path)) {
            return path + " is not a directory; mount a tmpfs there or name another one in " + ENVIRONMENT_VARIABLE;
        }
        int fd = openUnnamed();
        if (fd < 0) {
            return "cannot make files in " + path + ": " + Libc.describe(fd)
                    + "; make it a writable tmpfs or name another"
                    + " one in " + ENVIRONMENT_VARIABLE;
        }
        Libc.close(fd);
        return null;
    }

    /** @return the file descriptor of a new file without a name, or the negated errno */
    int openUnnamed() {
        return Libc.open(path.toString(), Libc.O_TMPFILE | Libc.O_RDWR | Libc.O_CLOEXEC, 0600);
    }

    long totalByteSize() {
        try {
            return Files.getFileStore(path).getTotalSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(path + " cannot be examined", e);
        }
    }

    /**
     * What can be had now: a tmpfs may promise more than the machine has, and whoever takes it at its word meets the
     * kernel's out-of-memory killer.
     */
    long availableByteSize() {
        try {
            return Math.min(Files.getFileStore(path).getUsableSpace(), machineAvailableByteSize());
        } catch (IOException e) {
            throw new UncheckedIOException(path + " cannot be examined", e);
        }
    }

    private static long machineAvailableByteSize() throws IOException {
        long kibibytes = 0;
        for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
            if (line.startsWith("MemAvailable:") || line.startsWith("SwapFree:")) {
                kibibytes += Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return kibibytes * 1024;
    }
}
