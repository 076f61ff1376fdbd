package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.transfer.spi.Setting;

/**
 * Where files in shared memory come from. None of them ever has a name.
 *
 * <p>By default they are the kernel's own (memfd_create(2)) and sealed: nobody can shorten them, so that nobody's access to them ends in
 * SIGBUS. Where the environment variable {@code VERBENA_SHM_DIR} names the folder of a tmpfs they are made there, and count against its size;
 * such files cannot be sealed. So it is in {@code /dev/shm} where the kernel has no memfd_create.
 *
 * @param folder of a tmpfs; null for the kernel's own
 */
record ShmFiles(Path folder) {
    static final String ENVIRONMENT_VARIABLE = "VERBENA_SHM_DIR";
    private static final Path LIMIT = Path.of("/sys/fs/cgroup/memory.max");
    private static final Path TAKEN = Path.of("/sys/fs/cgroup/memory.current");
    private static final Path PARTS = Path.of("/sys/fs/cgroup/memory.stat");
    private static final ShmFiles SEALED = new ShmFiles(null);
    private static final ShmFiles UNSEALED = new ShmFiles(Path.of("/dev/shm"));

    static ShmFiles ofEnvironment() {
        String folder = System.getenv(ENVIRONMENT_VARIABLE);
        if (folder != null && !folder.isBlank()) {
            return new ShmFiles(Path.of(folder));
        }
        return SEALED.unavailableReason() == null ? SEALED : UNSEALED;
    }

    /** Whether they keep their size, whatever a peer does. */
    boolean areSealed() {
        return folder == null;
    }

    /** As messages name it. */
    String place() {
        return areSealed() ? "this machine's memory" : folder.toString();
    }

    Setting toSetting() {
        return areSealed()
                ? new Setting("memory", "sealed", "the default; " + ENVIRONMENT_VARIABLE + " would name a tmpfs")
                : new Setting("folder", folder.toString(), this.equals(UNSEALED)
                        ? "this kernel has no memfd_create; " + ENVIRONMENT_VARIABLE + " would name another"
                        : ENVIRONMENT_VARIABLE + " names it; nothing keeps a peer from shortening files there");
    }

    /** Why it cannot be used, or null. */
    String unavailableReason() {
        if (!areSealed() && !Files.isDirectory(folder)) {
            return folder + " is not a directory; mount a tmpfs there or name another one in " + ENVIRONMENT_VARIABLE;
        }
        int fd = open();
        if (fd < 0) {
            return "cannot make files in " + place() + ": " + Libc.describe(fd) + "; " + hint();
        }
        Libc.close(fd);
        return null;
    }

    /** What to do where no file can be made, or too little memory is left. */
    String hint() {
        return areSealed() ? "end other programs, or name a tmpfs in " + ENVIRONMENT_VARIABLE
                : "make it a larger, writable tmpfs, or name another one in " + ENVIRONMENT_VARIABLE;
    }

    /** @return the file descriptor of a new file without a name, which can be sealed if {@link #areSealed}; or the negated errno */
    int open() {
        return areSealed() ? Libc.memfdCreate("verbena", 0)
                : Libc.open(folder.toString(), Libc.O_TMPFILE | Libc.O_RDWR | Libc.O_CLOEXEC, 0600);
    }

    long totalByteSize() {
        try {
            return areSealed() ? 1024 * sum(Path.of("/proc/meminfo"), "MemTotal:")
                    : Files.getFileStore(folder).getTotalSpace();
        } catch (IOException e) {
            throw new UncheckedIOException(place() + " cannot be examined", e);
        }
    }

    /**
     * What can be had now. A tmpfs may promise more than the machine has, and a file of the kernel's own promises everything: whoever takes
     * them at their word meets the kernel's out-of-memory killer.
     */
    long availableByteSize() {
        try {
            long available = Math.min(1024 * sum(Path.of("/proc/meminfo"), "MemAvailable:", "SwapFree:"),
                    containerByteSize());
            return areSealed() ? available : Math.min(Files.getFileStore(folder).getUsableSpace(), available);
        } catch (IOException e) {
            throw new UncheckedIOException(place() + " cannot be examined", e);
        }
    }

    /** Of the numbers behind these words. */
    private static long sum(Path file, String... words) throws IOException {
        long sum = 0;
        for (String line : Files.readAllLines(file)) {
            for (String word : words) {
                sum += line.startsWith(word) ? Long.parseLong(line.substring(word.length()).replaceAll("[^0-9]", ""))
                        : 0;
            }
        }
        return sum;
    }

    /** What a limited control group may still take; files that it has read give way (cgroup-v2.rst, "Memory Interface Files"). */
    private static long containerByteSize() throws IOException {
        String limit = Files.exists(LIMIT) ? Files.readString(LIMIT).strip() : "max";
        return limit.equals("max") ? Long.MAX_VALUE
                : Math.max(0, Long.parseLong(limit) - sum(TAKEN, "") + sum(PARTS, "inactive_file "));
    }
}
