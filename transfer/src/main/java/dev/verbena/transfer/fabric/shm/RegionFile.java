package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.NumaNodes;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.Prefault;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.TransferException;

/**
 * The shared memory of a region, as its options want it and as far as shared memory can; {@code backing} says what it cannot.
 *
 * <p>Committed always: by {@code posix_fallocate}, which a file lets only one thread do, or, where pre-faulting is asked for, through
 * the mapping by as many threads as are wanted.
 */
record RegionFile(SharedFile file, SlabBacking backing) implements RegionMemory {
    private static final long PAGE_BYTE_SIZE = 4096;
    private static final long HUGE_PAGE_BYTE_SIZE = 2 << 20;
    private static final String NO_TRANSPARENT_PAGES = "fabric shm asks for no transparent huge pages, because"
            + " /sys/kernel/mm/transparent_hugepage/shmem_enabled decides on them, or the mount option huge= of a tmpfs in "
            + ShmFiles.ENVIRONMENT_VARIABLE + ": set it to always, or ask for RESERVED_HUGE";
    private static final String ONE_THREAD = "fabric shm pre-faulted with one thread, because more than one need"
            + " Linux 5.14";

    static RegionFile create(ShmFiles files, long byteSize, SlabOptions options) {
        List<String> reasons = new ArrayList<>();
        PageKind pages = options.pages();
        SharedFile file = pages == PageKind.RESERVED_HUGE ? reserved(byteSize, options, reasons) : null;
        if (file == null) {
            if (pages != PageKind.PLAIN) {
                reasons.add(NO_TRANSPARENT_PAGES);
                pages = PageKind.PLAIN;
            }
            file = plain(files, byteSize, options, reasons);
        }
        return new RegionFile(file, new SlabBacking(options.pages(), pages, options.numaNode(), reasons));
    }

    /** @return null if they are not to be had; the reason is noted */
    private static SharedFile reserved(long byteSize, SlabOptions options, List<String> reasons) {
        try {
            if (!Prefault.isDoneByKernel()) {
                throw new OutOfArenaMemoryException(
                        "whether all are there, only Linux 5.14 and newer find out beforehand");
            }
            int fd = Libc.memfdCreate("verbena-huge", Libc.MFD_HUGETLB_2MB);
            if (fd < 0) {
                throw new OutOfArenaMemoryException("memfd_create MFD_HUGETLB: " + Libc.describe(fd));
            }
            return SharedFile.map(fd, true, ceil(byteSize, HUGE_PAGE_BYTE_SIZE), memory -> commit(memory, options));
        } catch (OutOfArenaMemoryException | TransferException e) {
            reasons.add("no reserved huge pages in shared memory: " + e.getMessage()
                    + "; sysctl vm.nr_hugepages=N reserves more");
            return null;
        }
    }

    private static SharedFile plain(ShmFiles files, long byteSize, SlabOptions options,
            List<String> reasons) {
        if (options.prefaultThreads() > 0 && Prefault.isDoneByKernel()) {
            SharedFile.checkRoom(files, byteSize);
            return SharedFile.map(SharedFile.open(files), files.areSealed(), ceil(byteSize, PAGE_BYTE_SIZE),
                    memory -> commit(memory, options));
        }
        SharedFile file = SharedFile.create(files, byteSize);
        try {
            bind(file.memory(), options);
            if (options.prefaultThreads() > 0) {
                reasons.add(ONE_THREAD);
                options.prefaultListener().onCommitted(byteSize, byteSize);
            }
            return file;
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private static void commit(MemorySegment memory, SlabOptions options) {
        bind(memory, options);
        Prefault.commit(memory, options);
    }

    private static void bind(MemorySegment memory, SlabOptions options) {
        if (options.numaNode() != SlabOptions.ANY_NODE) {
            NumaNodes.bind(memory, options.numaNode());
        }
    }

    /** @throws OutOfArenaMemoryException rather than overflow */
    private static long ceil(long byteSize, long unit) {
        if (byteSize > Long.MAX_VALUE - unit) {
            throw new OutOfArenaMemoryException("need byteSize=" + byteSize + ", more than can be rounded up to pages");
        }
        return byteSize + unit - 1 & -unit;
    }

    @Override
    public MemorySegment memory() {
        return file.memory();
    }

    @Override
    public FileIdentity identity() {
        return file.identity();
    }

    @Override
    public long fileOffset() {
        return 0;
    }

    @Override
    public void release() {
        file.close();
    }
}
