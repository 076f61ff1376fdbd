package dev.verbena.memory;

import java.lang.foreign.ValueLayout;

/**
 * The type of a tensor's elements.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ElementType {
    FLOAT32(ValueLayout.JAVA_FLOAT),
    FLOAT64(ValueLayout.JAVA_DOUBLE),
    INT32(ValueLayout.JAVA_INT),
    INT64(ValueLayout.JAVA_LONG),
    UINT8(ValueLayout.JAVA_BYTE);

    private final ValueLayout layout;
    private final long byteSize;
    private final long elementCountMax;

    ElementType(ValueLayout layout) {
        this.layout = layout;
        byteSize = layout.byteSize();
        elementCountMax = Long.MAX_VALUE / byteSize;
    }

    /** Bytes of one element. */
    public long byteSize() {
        return byteSize;
    }

    /** As many as have at most 2^63 - 1 bytes. */
    long elementCountMax() {
        return elementCountMax;
    }

    /** The layout of one element in native byte order. */
    public ValueLayout layout() {
        return layout;
    }
}
