package dev.verbena.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Physical memory of this process, from proc(5): {@code /proc/self/status}, line VmHWM, in KiB. */
final class ResidentMemory {
    private ResidentMemory() {}

    /** The most it ever had, in bytes; 0 where the kernel does not say. */
    static long peakByteSize() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmHWM:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
                }
            }
        } catch (IOException | NumberFormatException _) {
            // A figure for the report, not worth a failure.
        }
        return 0;
    }
}
