package dev.verbena.memory.slab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabOptions;
import dev.verbena.memory.SlabSource;

/**
 * Gets the memory of one slab: the best pages that were asked for, else the next best, down to plain ones, and remembers why.
 *
 * <pre>
 *   RESERVED_HUGE ──mmap refuses, or pages run out──► TRANSPARENT_HUGE ──switched off──► PLAIN ──► out of memory
 * </pre>
 *
 * <p><b>Owner:</b> one call of {@link SlabSource#acquire}. <b>Threading:</b> confined to its owner.
 */
public final class SlabMemory {
    /** Of a plain page. */
    static final long PAGE_BYTE_SIZE = 4096;

    private final SlabSource source;
    private final long byteSizeMin;
    private final SlabOptions options;
    private final HugePages hugePages;
    private final List<String> reasons = new ArrayList<>();

    public SlabMemory(SlabSource source, long byteSizeMin, SlabOptions options, HugePages hugePages) {
        this.source = source;
        this.byteSizeMin = byteSizeMin;
        this.options = options;
        this.hugePages = hugePages;
    }

    public OffHeapSlab map() {
        NativeAccess.require();
        OffHeapSlab slab = null;
        if (isAskedFor(PageKind.RESERVED_HUGE)) {
            slab = mapReserved();
        }
        if (slab == null && isAskedFor(PageKind.TRANSPARENT_HUGE)) {
            slab = mapTransparent();
        }
        return slab != null ? slab : prepare(PageKind.PLAIN, ceil(byteSizeMin, PAGE_BYTE_SIZE));
    }

    private boolean isAskedFor(PageKind pages) {
        return options.pages().compareTo(pages) >= 0;
    }

    private OffHeapSlab mapReserved() {
        if (!PageCommit.isDoneByKernel()) {
            reasons.add("no reserved huge pages: whether all are there, only Linux 5.14 and newer find out beforehand");
            return null;
        }
        try {
            return prepare(PageKind.RESERVED_HUGE, ceil(byteSizeMin, HugePages.BYTE_SIZE));
        } catch (OutOfArenaMemoryException e) {
            reasons.add("no reserved huge pages: " + e.getMessage() + "; " + hugePages.reservedState());
            return null;
        }
    }

    private OffHeapSlab mapTransparent() {
        String refusal = hugePages.transparentRefusal();
        if (refusal != null) {
            reasons.add(refusal);
            return null;
        }
        return prepare(PageKind.TRANSPARENT_HUGE, ceil(byteSizeMin, HugePages.BYTE_SIZE));
    }

    /** Maps, binds and commits; where that fails nothing is left. */
    private OffHeapSlab prepare(PageKind pages, long byteSize) {
        Arena lifetime = Arena.ofShared();
        try {
            MemorySegment memory = map(pages, byteSize, lifetime);
            if (options.numaNode() != SlabOptions.ANY_NODE) {
                NodeMemory.bind(memory, options.numaNode());
            }
            commit(memory, pages);
            return new OffHeapSlab(source, memory, lifetime,
                    new SlabBacking(options.pages(), pages, options.numaNode(), reasons));
        } catch (Throwable e) {
            lifetime.close();
            throw e;
        }
    }

    private static MemorySegment map(PageKind pages, long byteSize, Arena lifetime) {
        return switch (pages) {
            case PLAIN -> SystemMemory.map(byteSize, lifetime);
            case RESERVED_HUGE -> SystemMemory.mapReserved(byteSize, lifetime);
            case TRANSPARENT_HUGE -> {
                MemorySegment memory = SystemMemory.mapAligned(byteSize, HugePages.BYTE_SIZE, lifetime);
                int errno = SystemMemory.adviseHuge(memory);
                if (errno != 0) {
                    throw new IllegalStateException("madvise MADV_HUGEPAGE byteSize=" + byteSize + " errno=" + errno
                            + "; ask for " + PageKind.PLAIN);
                }
                yield memory;
            }
        };
    }

    /** Reserved pages always: one that is missing on its node, or in its control group, would end the process with SIGBUS later. */
    private void commit(MemorySegment memory, PageKind pages) {
        boolean isReserved = pages == PageKind.RESERVED_HUGE;
        if (options.prefaultThreads() == 0 && !isReserved) {
            return;
        }
        if (!isReserved) {
            AvailableMemory.check(memory.byteSize(), options.numaNode());
        }
        PageCommit.commit(memory, options);
    }

    private static long ceil(long byteSize, long pageByteSize) {
        // Twice: aligning takes as much again.
        if (byteSize > Long.MAX_VALUE - 2 * pageByteSize) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " is too large to round up to whole pages");
        }
        return byteSize + pageByteSize - 1 & -pageByteSize;
    }
}
