package dev.verbena.memory.slab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.SlabOptions;

/**
 * Whether there is as much memory as is about to be committed: the kernel would not refuse, it would end a process, likely this one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class AvailableMemory {
    private static final Path MACHINE = Path.of("/proc/meminfo");
    private static final List<String> OF_MACHINE = List.of("MemAvailable:", "SwapFree:");
    /** The kernel makes no such estimate for a node: free, and what it can drop at once (filesystems/proc of its documentation). */
    private static final List<String> OF_NODE = List.of("MemFree:", "Active(file):", "Inactive(file):",
            "SReclaimable:");

    private AvailableMemory() {}

    /** @throws OutOfArenaMemoryException if there is less, saying how much */
    static void check(long byteSize, int numaNode) {
        boolean isAnyNode = numaNode == SlabOptions.ANY_NODE;
        Path file = isAnyNode ? MACHINE : NodeMemory.meminfo(numaNode);
        long available = sum(file, isAnyNode ? OF_MACHINE : OF_NODE);
        if (byteSize > available) {
            throw new OutOfArenaMemoryException("not enough memory to commit: need " + byteSize + " bytes, have "
                    + available + " available; see " + file + ", or leave pages to their first use");
        }
    }

    /** Of lines such as {@code SwapFree: 12 kB}, or {@code Node 0 MemFree: 12 kB}; all there is if the file cannot be read. */
    static long sum(Path file, List<String> fields) {
        try (var lines = Files.lines(file)) {
            return lines.map(line -> line.replaceFirst("^Node \\d+ ", ""))
                    .filter(line -> fields.stream().anyMatch(line::startsWith))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\(.*?\\)|\\D", "")) * 1024).sum();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
