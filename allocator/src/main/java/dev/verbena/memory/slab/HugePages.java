package dev.verbena.memory.slab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel says of its huge pages of 2 MiB (admin-guide/mm/hugetlbpage and transhuge of its documentation).
 *
 * @param folder {@code /sys/kernel/mm}
 * @param status {@code /proc/self/status}
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record HugePages(Path folder, Path status) {
    public static final long BYTE_SIZE = 2L << 20;
    public static final HugePages SYSTEM = new HugePages(Path.of("/sys/kernel/mm"), Path.of("/proc/self/status"));

    private static final String SIZE = "hugepages-2048kB";

    /** Why nothing would come of asking for transparent ones, or null if it may. */
    public String transparentRefusal() {
        Path common = folder.resolve("transparent_hugepage/enabled");
        // Since Linux 6.8 each size has a switch of its own, which commonly says "inherit".
        Path own = folder.resolve("transparent_hugepage/" + SIZE + "/enabled");
        Path decisive = read(own).contains("[") && !read(own).contains("[inherit]") ? own : common;
        String state = read(decisive);
        if (!state.contains("[always]") && !state.contains("[madvise]")) {
            return "transparent huge pages are not to be had: " + decisive + (state.isEmpty() ? " is not there"
                    : " is \"" + state + "\"; write madvise to it");
        }
        // prctl(2), PR_SET_THP_DISABLE; inherited from who started the process.
        return read(status).contains("THP_enabled:\t0")
                ? "transparent huge pages are off for this process: " + status + " has THP_enabled: 0" : null;
    }

    /** How many are reserved, and how to have more. */
    public String reservedState() {
        Path pool = folder.resolve("hugepages/" + SIZE);
        String reserved = read(pool.resolve("nr_hugepages"));
        return reserved.isEmpty() ? pool + " is not there"
                : "nr_hugepages=" + reserved + " free_hugepages=" + read(pool.resolve("free_hugepages"))
                        + " resv_hugepages=" + read(pool.resolve("resv_hugepages"))
                        + " of 2 MiB; sysctl vm.nr_hugepages=N reserves more";
    }

    private static String read(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
