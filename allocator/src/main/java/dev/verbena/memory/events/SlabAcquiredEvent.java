package dev.verbena.memory.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabSource;

/**
 * That a source handed out a slab, registered where the source does that; its duration is how long that took.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.SlabAcquired")
@Label("Slab Acquired")
@Category({"Verbena", "Allocator"})
@Description("An arena got a slab from its source, which may register it with a device; the duration is that of the source's work")
@Enabled(false)
@Registered(false)
public final class SlabAcquiredEvent extends Event {
    @Label("Requested Size")
    @DataAmount
    long requestedByteSize;

    @Label("Size")
    @DataAmount
    long byteSize;

    @Label("Address")
    long address;

    public static Slab acquire(SlabSource source, long byteSize) {
        SlabAcquiredEvent event = new SlabAcquiredEvent();
        event.begin();
        Slab slab = source.acquire(byteSize);
        event.requestedByteSize = byteSize;
        event.byteSize = slab.memory().byteSize();
        event.address = slab.memory().address();
        event.commit();
        return slab;
    }
}
