package dev.verbena.memory.debug;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.heap.PartStorage;
import dev.verbena.memory.heap.Storage;
import dev.verbena.memory.slab.SystemMemory;

/**
 * One block of a debug arena, from its allocation until its memory may be used again.
 *
 * <pre>
 *   start, a multiple of 64     address, too             address + byteSize
 *   ├─ GUARD, guardByteSize ────┼─ FRESH, then the user's ┼─ GUARD, guardByteSize and up to the next multiple of 64 ─┤
 *   ├─ FREED, once it is ──────────────────────────────────────────────────────────────────────────────────────────┤
 *
 *   state         retire         leave        what is checked
 *   LIVE          QUARANTINED    never        the guards
 *   QUARANTINED   double free    GONE         every byte
 *   GONE          double free    never        nothing: it may be another's by now
 * </pre>
 *
 * <p>The guard behind begins at the very byte, so that a write of one byte too many is caught at whatever size; the one in front ends
 * where the headroom of a tensor begins, if it has any.
 *
 * <p><b>Owner:</b> {@link DebugBlocks}; its tensor has it as storage. <b>Threading:</b> thread-safe; each move and each check with its
 * monitor held, so that a check never sees memory that is another's.
 */
final class DebugBlock implements PartStorage {
    private enum State {
        /** In use. */
        LIVE,
        /** Freed, and its memory not used again yet. */
        QUARANTINED,
        /** Its memory is the heap's. */
        GONE
    }

    final long start;
    final long address;
    final long byteSize;
    final Site allocated;
    private final DebugBlocks blocks;
    private final MemorySegment whole;
    private State state = State.LIVE;
    /** Of the user's bytes, at their begin; they are guarded, too. */
    private long asideByteSize;
    private Site freed;
    /** Life of the segments that tensors give out; made with the first of them. */
    private Arena views;

    /** {@code whole} is what the heap gave. */
    DebugBlock(DebugBlocks blocks, MemorySegment whole, long guardByteSize, long byteSize, Site allocated) {
        this.blocks = blocks;
        this.whole = whole;
        this.byteSize = byteSize;
        this.allocated = allocated;
        start = whole.address();
        address = start + guardByteSize;
        Poison.GUARD.fill(front());
        Poison.FRESH.fill(content());
        Poison.GUARD.fill(back());
    }

    long wholeByteSize() {
        return whole.byteSize();
    }

    @Override
    public Storage whole() {
        return blocks;
    }

    @Override
    public boolean isArena() {
        return true;
    }

    @Override
    public void release(long within) {
        blocks.release(this);
    }

    @Override
    public synchronized void setAside(long firstByteSize) {
        Poison.GUARD.fill(whole.asSlice(address - start, firstByteSize));
        asideByteSize = firstByteSize;
    }

    /** While it is live. @throws IllegalStateException if a native call uses one */
    synchronized void endViews() {
        if (views != null) {
            views.close();
            views = null;
        }
    }

    /** A segment that dies with the block: the JDK refuses every later access. */
    @Override
    public synchronized MemorySegment memoryAt(long within, long viewByteSize) {
        if (state != State.LIVE || !isOpen()) {
            throw new IllegalStateException("use after free: " + this + history());
        }
        if (views == null) {
            views = Arena.ofShared();
        }
        return SystemMemory.view(whole.asSlice(within - start, viewByteSize), views);
    }

    /**
     * LIVE → QUARANTINED.
     *
     * @return what is damaged, or null
     * @throws IllegalStateException if it is free already
     */
    synchronized String retire(Site site) {
        if (state != State.LIVE) {
            throw new IllegalStateException("double free: " + this + history());
        }
        freed = site;
        String damage = guardDamage();
        String inUse = closeViews();
        if (isThere()) {
            Poison.FREED.fill(whole);
        }
        state = State.QUARANTINED;
        return damage != null ? damage : inUse;
    }

    /** QUARANTINED → GONE; what is damaged, or null. */
    synchronized String leave() {
        String damage = poisonDamage();
        state = State.GONE;
        return damage;
    }

    /** What is damaged now, or null. */
    synchronized String damage() {
        return switch (state) {
            case LIVE -> guardDamage();
            case QUARANTINED -> poisonDamage();
            case GONE -> null;
        };
    }

    @Override
    public synchronized String history() {
        return "; allocated" + allocated + (freed == null ? "" : "\n  freed first" + freed);
    }

    /** Whether its slab is; a device that is closed before its arenas takes the memory with it, and nothing can be damaged then. */
    private boolean isThere() {
        return whole.scope().isAlive();
    }

    private String guardDamage() {
        if (!isThere()) {
            return null;
        }
        long before = Poison.GUARD.firstDamaged(front());
        if (before >= 0) {
            return report("write in front of a block", before, Poison.GUARD);
        }
        long behind = Poison.GUARD.firstDamaged(back());
        return behind < 0 ? null
                : report("write behind a block", address - start + byteSize + behind, Poison.GUARD);
    }

    private String poisonDamage() {
        long damaged = isThere() ? Poison.FREED.firstDamaged(whole) : -1;
        return damaged < 0 ? null : report("write after free", damaged, Poison.FREED);
    }

    private String report(String what, long wholeOffset, Poison expected) {
        int found = whole.get(ValueLayout.JAVA_BYTE, wholeOffset) & 0xFF;
        return what + ": " + this + " byte at offset=" + (wholeOffset - guardedInFront()) + " is 0x"
                + Integer.toHexString(found) + " instead of 0x" + Integer.toHexString(expected.value & 0xFF)
                + history();
    }

    private String closeViews() {
        try {
            if (views != null) {
                views.close();
            }
            return null;
        } catch (IllegalStateException inUse) {
            return "free of a block in use: " + this + " has a view that a thread or a native call is using: "
                    + inUse.getMessage() + history();
        }
    }

    private long guardedInFront() {
        return address - start + asideByteSize;
    }

    private MemorySegment front() {
        return whole.asSlice(0, guardedInFront());
    }

    private MemorySegment content() {
        return whole.asSlice(address - start, byteSize);
    }

    private MemorySegment back() {
        return whole.asSlice(address - start + byteSize);
    }

    @Override
    public String toString() {
        return "block address=0x" + Long.toHexString(start + guardedInFront()) + " byteSize="
                + (byteSize - asideByteSize);
    }
}
