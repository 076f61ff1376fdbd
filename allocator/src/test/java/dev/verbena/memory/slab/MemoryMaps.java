package dev.verbena.memory.slab;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel tells of this process's memory: proc_pid_smaps(5), proc_pid_numa_maps(5), proc_pid_pagemap(5). */
public final class MemoryMaps {
    private static final long PAGE_BYTE_SIZE = 4096;
    private static final long PAGE_IS_PRESENT = 1L << 63;

    private MemoryMaps() {}

    public static boolean isMapped(long address) throws IOException {
        return mapping(address) >= 0;
    }

    /** A figure of the mapping that has the address, such as {@code AnonHugePages}; mappings of the same kind may have been joined. */
    public static long byteSizeOf(String field, long address) throws IOException {
        List<String> lines = lines();
        String line = lines.subList(mapping(address), lines.size()).stream()
                .filter(candidate -> candidate.startsWith(field + ":")).findFirst().orElseThrow();
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }

    /** The policy of the mapping that has the address, such as {@code bind:0}. */
    public static String numaPolicy(long address) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/numa_maps"))) {
            return lines.map(line -> line.split(" "))
                    .filter(words -> Long.compareUnsigned(Long.parseUnsignedLong(words[0], 16), address) <= 0)
                    .reduce((lower, higher) -> higher).orElseThrow()[1];
        }
    }

    /** Pages, of those on which the memory lies, that are committed. */
    public static long presentPages(MemorySegment memory) throws IOException {
        long present = 0;
        try (RandomAccessFile file = new RandomAccessFile("/proc/self/pagemap", "r")) {
            long first = memory.address() / PAGE_BYTE_SIZE;
            byte[] entries = new byte[(int) (pages(memory) * Long.BYTES)];
            file.seek(first * Long.BYTES);
            file.readFully(entries);
            for (long i = 0; i < pages(memory); i++) {
                long entry = MemorySegment.ofArray(entries).get(java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED,
                        i * Long.BYTES);
                present += (entry & PAGE_IS_PRESENT) != 0 ? 1 : 0;
            }
        }
        return present;
    }

    public static long pages(MemorySegment memory) {
        return (memory.address() + memory.byteSize() - 1) / PAGE_BYTE_SIZE - memory.address() / PAGE_BYTE_SIZE + 1;
    }

    /** The number of its line, or -1. */
    private static int mapping(long address) throws IOException {
        List<String> lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            String[] range = lines.get(i).split(" ")[0].split("-");
            if (range.length == 2 && Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
                    && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0) {
                return i;
            }
        }
        return -1;
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/smaps"));
    }
}
