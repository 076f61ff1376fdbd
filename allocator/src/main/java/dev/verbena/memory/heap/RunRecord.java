package dev.verbena.memory.heap;

/**
 * What the arena knows of one run: consecutive pages of a slab that are used, or free, together. The record of a run is the one of its
 * first page, so a run has no object, and its neighbours are found by counting; a run is named by the address of its record.
 *
 * <pre>
 *    0  next                link of {@link SlotBins} in SLOTS, right child of {@link RunTree} in FREE
 *    8  left                left child in FREE
 *    8  freeSlots           in SLOTS, see {@link SlotRun}
 *   16  room                int, number of the {@link SlotHeap} whose {@link Rooms room} it is in; NO_HEAP if it is in none
 *   20  borders             byte: BORDER_BEFORE, BORDER_BEHIND
 *   21  mark                byte, in LARGE that is in no room: 1 if it serves {@link Obstacles}, else 0
 *   24  returnedSlots       written by every thread
 *   32  returnedNext        link of {@link ReturnedRuns}
 *   40  address             of the run's first byte
 *   48  pageCount           int
 *   52  previousPageCount   int, of the run before it in the slab; 0 if it is the first
 *   56  owner               int, in SLOTS: number of the {@link SlotHeap} that it belongs to * size classes + its class; else NO_HEAP
 *   60  slab                short, number of the {@link SlabPages}
 *   62  kind                byte: SPARE, FREE, LARGE, SLOTS, END
 *   63  slotCount           byte, in SLOTS; height, in FREE
 *   64
 *  128
 * </pre>
 *
 * <p>One line has it all. The next one is empty: the owner of a run writes at each operation, so the records of two are not on lines that
 * processors fetch together ({@link LinePadding}).
 *
 * <pre>
 *   slab      |  run (slots)  |        run (large)         |            run (free)             | END
 *   page      0               3                            9                                  64
 *   record    0   ·   ·       3   ·    ·    ·    ·    ·    9   ·    ·    ·    ·    ·    ·     64
 *             └── pageCount ─►└────── pageCount ──────────►└──────────── pageCount ──────────►
 *                      ◄── previousPageCount
 * </pre>
 *
 * <p>A border is between a room and what is not of it. Nobody merges runs across one, and who has a room writes nothing beyond it: there
 * {@code previousPageCount} is what it was when the room came to be, which it will be again when all of it is free.
 *
 * <p>Invariants: the runs of a slab tile it; no two neighbours are FREE but across a border; a page that no run begins at is SPARE; both
 * sides of a border know of it.
 *
 * <p><b>Owner:</b> {@link SlabPages}, whose memory the records are. <b>Threading:</b> guarded by the lock of {@link CentralHeap}, in a room by that of the heap, in SLOTS as
 * {@link SlotRun} says; whoever holds a block of the run may read address, kind, slab, room, which don't change meanwhile.
 */
public final class RunRecord {
    static final int BYTE_SIZE_SHIFT = 7;
    static final long BYTE_SIZE = 1L << BYTE_SIZE_SHIFT;

    /** No run begins here; what fresh records are. */
    static final int SPARE = 0;
    /** Its pages are free and in the tree. */
    static final int FREE = -1;
    /** It is one block. */
    static final int LARGE = -2;
    /** Carved into slots of a heap. */
    static final int SLOTS = 1;
    /** Behind the last page of a slab. */
    static final int END = -3;

    static final int NO_HEAP = -1;

    /** Nothing before it may be merged with it. */
    static final int BORDER_BEFORE = 1;
    /** Nothing behind it, which is another's to write. */
    static final int BORDER_BEHIND = 2;

    /** The first is also that of a bin's head. */
    private static final long NEXT = 0;
    private static final long LEFT = NEXT + Long.BYTES;
    private static final long FREE_SLOTS = LEFT;
    private static final long ROOM = FREE_SLOTS + Long.BYTES;
    private static final long BORDERS = ROOM + Integer.BYTES;
    private static final long MARK = BORDERS + Byte.BYTES;
    private static final long RETURNED_SLOTS = ROOM + Long.BYTES;
    private static final long RETURNED_NEXT = RETURNED_SLOTS + Long.BYTES;
    private static final long ADDRESS = RETURNED_NEXT + Long.BYTES;
    private static final long PAGE_COUNT = ADDRESS + Long.BYTES;
    private static final long PREVIOUS_PAGE_COUNT = PAGE_COUNT + Integer.BYTES;
    private static final long OWNER = PREVIOUS_PAGE_COUNT + Integer.BYTES;
    private static final long SLAB = OWNER + Integer.BYTES;
    private static final long KIND = SLAB + Short.BYTES;
    private static final long SLOT_COUNT = KIND + Byte.BYTES;
    private static final long HEIGHT = SLOT_COUNT;

    private static final int KIND_SHIFT = (int) (KIND - OWNER) * Byte.SIZE;
    private static final int SLOT_COUNT_SHIFT = (int) (SLOT_COUNT - OWNER) * Byte.SIZE;

    private RunRecord() {}

    // ---- what it is ----

    /** Owner, slab, kind and slot count, of one moment. */
    static long owned(long run) {
        return RawMemory.getLong(run + OWNER);
    }

    static int kindOf(long owned) {
        return (byte) (owned >>> KIND_SHIFT);
    }

    /** Of one that belongs to a heap. */
    static int sizeClassOf(long owned) {
        return Math.floorMod((int) owned, SizeClasses.COUNT);
    }

    static int slotCountOf(long owned) {
        return (int) (owned >>> SLOT_COUNT_SHIFT);
    }

    static int kind(long run) {
        return RawMemory.getByte(run + KIND);
    }

    static boolean isFree(long run) {
        return kind(run) == FREE;
    }

    static boolean isSlots(long run) {
        return kind(run) == SLOTS;
    }

    /** The legal moves: SPARE → FREE (new slab, split) → LARGE or SLOTS → FREE (freed) → SPARE (merged); SPARE → END. */
    static void become(long run, int next) {
        int now = kind(run);
        boolean isLegal = switch (next) {
            case FREE -> now != FREE && now != END;
            case END -> now == SPARE;
            default -> now == FREE;
        };
        if (!isLegal) {
            throw new IllegalStateException(
                    "arena is corrupt: run cannot go to kind=" + next + ": " + describe(run));
        }
        RawMemory.putByte(run + KIND, (byte) next);
    }

    // ---- where it is ----

    /** A spare record begins to stand for pages. */
    static void place(long run, int slab, long address, int room, long pageCount, long previousPageCount) {
        // And kind and slot count, which are behind it: 0 is SPARE.
        RawMemory.putInt(run + SLAB, slab);
        RawMemory.putLong(run + ADDRESS, address);
        owner(run, NO_HEAP);
        room(run, room);
        RawMemory.putByte(run + BORDERS, (byte) 0);
        pageCount(run, pageCount);
        previousPageCount(run, previousPageCount);
    }

    static int slab(long run) {
        return (short) RawMemory.getInt(run + SLAB);
    }

    /** Of its first byte. */
    static long address(long run) {
        return RawMemory.getLong(run + ADDRESS);
    }

    static long pageCount(long run) {
        return RawMemory.getInt(run + PAGE_COUNT);
    }

    static void pageCount(long run, long value) {
        RawMemory.putInt(run + PAGE_COUNT, (int) value);
    }

    static long previousPageCount(long run) {
        return RawMemory.getInt(run + PREVIOUS_PAGE_COUNT);
    }

    static void previousPageCount(long run, long value) {
        RawMemory.putInt(run + PREVIOUS_PAGE_COUNT, (int) value);
    }

    static long byteSize(long run) {
        return pageCount(run) * SizeClasses.PAGE_BYTE_SIZE;
    }

    /** So many pages further. */
    static long at(long run, long pages) {
        return RawMemory.known(run + (pages << BYTE_SIZE_SHIFT));
    }

    /** The next one in the slab; behind the last the one that is END. */
    static long after(long run) {
        return at(run, pageCount(run));
    }

    /** The one before it in the slab; itself if it is the first. */
    static long before(long run) {
        return at(run, -previousPageCount(run));
    }

    // ---- whose it is ----

    static int room(long run) {
        return RawMemory.getInt(run + ROOM);
    }

    static void room(long run, int heap) {
        RawMemory.putInt(run + ROOM, heap);
    }

    static boolean hasBorder(long run, int border) {
        return (RawMemory.getByte(run + BORDERS) & border) != 0;
    }

    static void addBorder(long run, int border) {
        RawMemory.putByte(run + BORDERS, (byte) (RawMemory.getByte(run + BORDERS) | border));
    }

    static void removeBorder(long run, int border) {
        RawMemory.putByte(run + BORDERS, (byte) (RawMemory.getByte(run + BORDERS) & ~border));
    }

    /** By any thread: of any recent moment. */
    static boolean isMarked(long run) {
        return RawMemory.getByte(run + MARK) != 0;
    }

    static void mark(long run, boolean value) {
        RawMemory.putByte(run + MARK, (byte) (value ? 1 : 0));
    }

    // ---- links ----

    static long next(long run) {
        return RawMemory.getAddress(run + NEXT);
    }

    static void next(long run, long value) {
        RawMemory.putLong(run + NEXT, value);
    }

    static long left(long run) {
        return RawMemory.getAddress(run + LEFT);
    }

    static void left(long run, long value) {
        RawMemory.putLong(run + LEFT, value);
    }

    static long right(long run) {
        return next(run);
    }

    static void right(long run, long value) {
        next(run, value);
    }

    static int height(long run) {
        return RawMemory.getByte(run + HEIGHT);
    }

    static void height(long run, int value) {
        RawMemory.putByte(run + HEIGHT, (byte) value);
    }

    static long returnedNext(long run) {
        return RawMemory.getAddress(run + RETURNED_NEXT);
    }

    static void returnedNext(long run, long value) {
        RawMemory.putLong(run + RETURNED_NEXT, value);
    }

    // ---- slots ----

    /** Heap and size class as one number: {@link #ownerOf}; or NO_HEAP. */
    static int owner(long run) {
        return RawMemory.getInt(run + OWNER);
    }

    static void owner(long run, int value) {
        RawMemory.putInt(run + OWNER, value);
    }

    static int ownerOf(int heap, int sizeClass) {
        return heap * SizeClasses.COUNT + sizeClass;
    }

    /** Or NO_HEAP. */
    static int heap(long run) {
        return Math.floorDiv(owner(run), SizeClasses.COUNT);
    }

    /** Of one that belongs to a heap. */
    static int sizeClass(long run) {
        return Math.floorMod(owner(run), SizeClasses.COUNT);
    }

    static int slotCount(long run) {
        return RawMemory.getByte(run + SLOT_COUNT);
    }

    static void slotCount(long run, int value) {
        RawMemory.putByte(run + SLOT_COUNT, (byte) value);
    }

    static long freeSlots(long run) {
        return RawMemory.getLong(run + FREE_SLOTS);
    }

    static void freeSlots(long run, long value) {
        RawMemory.putLong(run + FREE_SLOTS, value);
    }

    /** Of any recent moment. */
    static long returnedSlots(long run) {
        return RawMemory.getLong(run + RETURNED_SLOTS);
    }

    static void returnedSlots(long run, long value) {
        RawMemory.putLong(run + RETURNED_SLOTS, value);
    }

    static long addReturnedSlots(long run, long bits) {
        return RawMemory.getAndBitwiseOrLong(run + RETURNED_SLOTS, bits);
    }

    /** False if there are others now. */
    static boolean clearReturnedSlots(long run, long bits) {
        return RawMemory.compareAndSetLong(run + RETURNED_SLOTS, bits, 0);
    }

    static String describe(long run) {
        return "run kind=" + kind(run) + " slab=" + slab(run) + " address=0x" + Long.toHexString(address(run))
                + " pageCount=" + pageCount(run);
    }
}
