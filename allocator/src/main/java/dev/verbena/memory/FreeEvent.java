package dev.verbena.memory;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/**
 * That a block went back to its arena. It begins before that, so that it comes before the {@link AllocateEvent} of who gets the address
 * next. Costs nothing while nobody records it, as that.
 */
@Name("dev.verbena.Free")
@Label("Free")
@Category({"Verbena", "Allocator"})
@Description("A tensor or a block of an arena went back, at its close or at the last unpin; one event for each")
@Enabled(false)
@Registered(false)
final class FreeEvent extends Event {
    private static final FreeEvent PROBE = new FreeEvent();

    @Label("Address")
    @Description("Of its first byte, as in its allocation")
    long address;

    static boolean isOn() {
        return PROBE.isEnabled();
    }

    /** Releases the block, and records it unless that is refused. */
    static void release(Storage storage, long address) {
        FreeEvent event = new FreeEvent();
        event.begin();
        storage.release(address);
        event.address = address;
        event.commit();
    }
}
