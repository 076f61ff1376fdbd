package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.memory.SlabBacking;
import dev.verbena.transfer.TransferException;

/**
 * Memory of the caller's that maps a file of his: the file is looked up in {@code /proc/self/maps} (proc_pid_maps(5)) and opened once more,
 * so that peers find it as long as the region lives, whether the caller keeps it open or not.
 *
 * @param identity of the file, by a descriptor that is ours
 */
record MappedFile(MemorySegment memory, FileIdentity identity, long fileOffset) implements RegionMemory {
    /** A stretch of the process's memory that maps one stretch of one file, shared; the inode is 0 if it is something else. */
    private record Mapping(long start, long end, long fileOffset, long inode, String path) {
        /** Such as {@code 7f0c8000-7f0c9000 rw-s 00001000 00:1a 4711   /dev/shm/weights}. */
        static Mapping of(String line) {
            String[] fields = line.split(" +", 6);
            String[] range = fields[0].split("-");
            return new Mapping(Long.parseUnsignedLong(range[0], 16), Long.parseUnsignedLong(range[1], 16),
                    Long.parseUnsignedLong(fields[2], 16), fields[1].startsWith("rw-s") || fields[1].startsWith("rwxs")
                            ? Long.parseLong(fields[4])
                            : 0,
                    fields.length < 6 ? "" : fields[5]);
        }

        boolean contains(long address) {
            return Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0;
        }

        boolean continuesWith(Mapping next) {
            return next.start == end && next.inode == inode && next.fileOffset == fileOffset + (end - start);
        }
    }

    /** @return null if the memory maps no file, or does not share it, or not for reading and writing */
    static MappedFile find(MemorySegment memory) {
        try {
            Mapping mapping = mapping(memory.address(), memory.address() + memory.byteSize());
            if (mapping == null) {
                return null;
            }
            long fileOffset = mapping.fileOffset + memory.address() - mapping.start;
            return new MappedFile(memory, open(mapping, fileOffset + memory.byteSize()), fileOffset);
        } catch (IOException e) {
            throw new TransferException("the file that memory=" + memory + " maps cannot be found: " + e, e);
        }
    }

    /** That of the first byte; null unless it, and what it goes on with in the same file, reaches to the end. */
    private static Mapping mapping(long address, long end) throws IOException {
        Mapping first = null;
        Mapping last = null;
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            Mapping each = Mapping.of(line);
            if (first == null ? each.contains(address) && each.inode != 0 : last.continuesWith(each)) {
                first = first == null ? each : first;
                last = each;
            }
        }
        return last != null && Long.compareUnsigned(end, last.end) <= 0 ? first : null;
    }

    private static FileIdentity open(Mapping mapping, long byteSizeMin) throws IOException {
        for (Path path : candidates(mapping)) {
            int fd = Libc.open(path.toString(), Libc.O_RDWR | Libc.O_CLOEXEC | Libc.O_NONBLOCK, 0);
            if (fd < 0) {
                continue;
            }
            if (isOf(Path.of("/proc/self/fd/" + fd), mapping.inode, byteSizeMin)) {
                return FileIdentity.of(fd);
            }
            Libc.close(fd);
        }
        throw new TransferException("the file of inode=" + mapping.inode + " that the memory maps, " + mapping.path
                + ", cannot be opened for reading and writing, or has been cut; keep a file without a name open until its"
                + " memory is imported");
    }

    /** The file by its name, or, if it has none any more, whatever this process has open of that inode. */
    private static List<Path> candidates(Mapping mapping) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            Stream<Path> named = mapping.path.startsWith("/") ? Stream.of(Path.of(mapping.path)) : Stream.of();
            return Stream.concat(named, descriptors.filter(each -> isOf(each, mapping.inode, 0))).toList();
        }
    }

    private static boolean isOf(Path descriptor, long inode, long byteSizeMin) {
        try {
            return Files.isRegularFile(descriptor) && (Long) Files.getAttribute(descriptor, "unix:ino") == inode
                    && Files.size(descriptor) >= byteSizeMin;
        } catch (IOException e) {
            // Closed since.
            return false;
        }
    }

    @Override
    public SlabBacking backing() {
        return SlabBacking.UNSAID;
    }

    @Override
    public void release() {
        Libc.close(identity.fd());
    }
}
