package dev.verbena.memory.debug;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Freed blocks whose memory is not used again yet, the one that waits longest first; and a memory of some that have left.
 *
 * <p><b>Owner:</b> {@link DebugBlocks}. <b>Threading:</b> thread-safe.
 */
public final class Quarantine {
    private static final int REMEMBERED_MAX = 1024;

    private final Map<Long, DebugBlock> waiting = new LinkedHashMap<>();
    private final Map<Long, DebugBlock> remembered = new LinkedHashMap<>();
    private long byteSize;

    synchronized void add(DebugBlock block) {
        waiting.put(block.address, block);
        byteSize += block.wholeByteSize();
    }

    /** Takes out so many that the others have together at most so many bytes. */
    synchronized List<DebugBlock> removeBeyond(long byteSizeMax) {
        List<DebugBlock> leaving = new ArrayList<>();
        Iterator<DebugBlock> longest = waiting.values().iterator();
        while (byteSize > byteSizeMax) {
            DebugBlock block = longest.next();
            longest.remove();
            byteSize -= block.wholeByteSize();
            remember(block);
            leaving.add(block);
        }
        return leaving;
    }

    synchronized List<DebugBlock> waiting() {
        return List.copyOf(waiting.values());
    }

    /** The block that was freed last at that address, as far as it is remembered; or null. */
    synchronized DebugBlock find(long address) {
        DebugBlock block = waiting.get(address);
        return block != null ? block : remembered.get(address);
    }

    private void remember(DebugBlock block) {
        remembered.remove(block.address);
        remembered.put(block.address, block);
        if (remembered.size() > REMEMBERED_MAX) {
            Iterator<DebugBlock> oldest = remembered.values().iterator();
            oldest.next();
            oldest.remove();
        }
    }
}
