package dev.verbena.memory.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.OutOfArenaMemoryException;

/**
 * That an arena had no memory for a request, whether it threw or returned null.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.OutOfMemory")
@Label("Out of Arena Memory")
@Category({"Verbena", "Allocator"})
@Description("An arena had no memory for a request within its budget, or its source refused a further slab")
@Enabled(false)
@Registered(false)
public final class OutOfMemoryEvent extends Event {
    private static final OutOfMemoryEvent PROBE = new OutOfMemoryEvent();

    @Label("Requested Size")
    @DataAmount
    long byteSize;

    @Label("Free Size")
    @DataAmount
    long freeByteSize;

    @Label("Largest Free Run")
    @DataAmount
    long largestFreeRunByteSize;

    @Label("Size of All Slabs")
    @DataAmount
    long slabByteSize;

    @Label("Budget")
    @DataAmount
    long byteSizeMax;

    @Label("Live Tensors")
    long liveCount;

    @Label("Refusal")
    @Description("What the source said that refused a further slab; null if the budget has no room for one")
    String refusal;

    public static boolean isOn() {
        return PROBE.isEnabled();
    }

    /** {@code refusal} may be null. */
    public static void record(long byteSize, ArenaStatistics now, long byteSizeMax, OutOfArenaMemoryException refusal) {
        OutOfMemoryEvent event = new OutOfMemoryEvent();
        event.byteSize = byteSize;
        event.freeByteSize = now.freeByteSize();
        event.largestFreeRunByteSize = now.largestFreeRunByteSize();
        event.slabByteSize = now.slabByteSize();
        event.byteSizeMax = byteSizeMax;
        event.liveCount = now.liveCount();
        event.refusal = refusal == null ? null : refusal.getMessage();
        event.commit();
    }
}
