package dev.verbena.cli.doctor;

/**
 * What the kernel says of the machine's memory, in {@code /proc/meminfo} (proc_meminfo(5)).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class MachineMemory {
    private MachineMemory() {}

    /** Bytes that programs can still be given, those of swap included; 0 where the text says nothing of it. */
    public static long availableByteSize(String meminfo) {
        long kibibytes = meminfo.lines()
                .filter(line -> line.startsWith("MemAvailable:") || line.startsWith("SwapFree:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", ""))).sum();
        return kibibytes * 1024;
    }
}
