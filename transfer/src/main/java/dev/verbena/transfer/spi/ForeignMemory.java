package dev.verbena.transfer.spi;

import java.lang.foreign.MemorySegment;

/**
 * Memory that a fabric has not allocated, to be registered by {@link Fabric#importMemory}. It stays its owner's, who keeps it allocated
 * until the region is closed, and does with it afterwards what he likes.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> immutable; its bytes are shared.
 */
public sealed interface ForeignMemory {
    /** How much is registered, 1 byte or more; of a dma-buf it counts from the offset on. */
    long byteSize();

    /**
     * Of the machine: allocated by the caller, or by a library of his, or the mapping of a file.
     *
     * @param segment native, writable, and open to all threads, since whoever drives a transfer touches it
     */
    record Host(MemorySegment segment) implements ForeignMemory {
        /** Throws {@link IllegalArgumentException} unless the segment is native, not empty, writable and open to all threads. */
        public Host {
            if (!segment.isNative() || segment.byteSize() == 0 || segment.isReadOnly()
                    || !segment.isAccessibleBy(new Thread())) {
                throw new IllegalArgumentException("memory=" + segment
                        + " cannot be imported; give off-heap memory, not empty, writable, of a shared or the global arena");
            }
        }

        @Override
        public long byteSize() {
            return segment.byteSize();
        }
    }

    /**
     * Of a device, exported by its driver as a dma-buf (Linux, Documentation/driver-api/dma-buf.rst).
     *
     * @param descriptor may be closed when it is imported
     * @param offset of the first byte, within the dma-buf
     * @param byteSize from there on
     */
    record DmaBuf(int descriptor, long offset, long byteSize) implements ForeignMemory {
        /** Throws {@link IllegalArgumentException} if a number is negative, byteSize is 0, or offset + byteSize is no {@code long}. */
        public DmaBuf {
            if (descriptor < 0 || offset < 0 || byteSize <= 0 || offset > Long.MAX_VALUE - byteSize) {
                throw new IllegalArgumentException("descriptor=" + descriptor + " offset=" + offset + " byteSize="
                        + byteSize + " is no part of a dma-buf");
            }
        }
    }
}
