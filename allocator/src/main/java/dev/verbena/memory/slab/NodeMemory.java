package dev.verbena.memory.slab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.verbena.memory.OutOfArenaMemoryException;

/**
 * What the kernel says of NUMA nodes, and what it is asked to bind to one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class NodeMemory {
    private static final Path FOLDER = Path.of("/sys/devices/system/node");

    private NodeMemory() {}

    public static List<Integer> all() {
        return all(FOLDER);
    }

    /** As {@code NumaNodes} says. */
    public static void bind(MemorySegment memory, int node) {
        check(node);
        NativeAccess.require();
        int errno = SystemMemory.bind(memory, node);
        if (errno == SystemMemory.EINVAL) {
            throw new IllegalArgumentException("mbind numaNode=" + node + " of " + memory + " failed: errno=" + errno
                    + "; memory must be native and begin on a page");
        }
        if (errno != 0) {
            throw new OutOfArenaMemoryException("memory of numaNode=" + node + " is not to be had: mbind byteSize="
                    + memory.byteSize() + " errno=" + errno + hint(errno));
        }
    }

    /** @throws IllegalArgumentException if the machine has no such node */
    public static void check(int node) {
        check(FOLDER, node);
    }

    static void check(Path folder, int node) {
        List<Integer> nodes = all(folder);
        if (!nodes.contains(node)) {
            throw new IllegalArgumentException("numaNode=" + node + " is not to be had: "
                    + (nodes.isEmpty() ? "this kernel knows no NUMA nodes, " + folder + " is not there"
                            : "nodes with memory are " + nodes)
                    + "; give one of them or ANY_NODE");
        }
    }

    static List<Integer> all(Path folder) {
        Path file = folder.resolve("has_memory");
        try {
            return Files.exists(file) ? parse(Files.readString(file).strip()) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(file + " cannot be read", e);
        }
    }

    /** What the kernel says of the memory of a node. */
    static Path meminfo(int node) {
        return FOLDER.resolve("node" + node + "/meminfo");
    }

    /** Numbers and ranges, as {@code 0-1,3} (bitmap_parselist of the kernel's lib/bitmap-str.c). */
    static List<Integer> parse(String list) {
        return list.isEmpty() ? List.of() : Stream.of(list.split(",")).flatMapToInt(range -> {
            String[] ends = range.split("-");
            return IntStream.rangeClosed(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
        }).boxed().toList();
    }

    private static String hint(int errno) {
        return switch (errno) {
            case SystemMemory.EPERM -> "; containers forbid mbind unless they have the capability SYS_NICE";
            case SystemMemory.EIO -> "; some of its pages cannot be moved there";
            default -> "; see numactl --hardware for what the node has";
        };
    }
}
