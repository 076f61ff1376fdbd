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

    /** One whose duration begins now. */
    public static SlabAcquiredEvent begun() {
        SlabAcquiredEvent event = new SlabAcquiredEvent();
        event.begin();
        return event;
    }

    public void commit(long requested, Slab slab) {
        requestedByteSize = requested;
        byteSize = slab.memory().byteSize();
        address = slab.memory().address();
        commit();
    }
}
