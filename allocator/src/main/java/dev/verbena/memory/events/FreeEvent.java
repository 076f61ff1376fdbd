package dev.verbena.memory.events;

import java.util.function.LongConsumer;

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
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.Free")
@Label("Free")
@Category({"Verbena", "Allocator"})
@Description("A tensor or a block of an arena went back, at its close or at the last unpin; one event for each")
@Enabled(false)
@Registered(false)
public final class FreeEvent extends Event {
    private static final FreeEvent PROBE = new FreeEvent();

    @Label("Address")
    @Description("Of its first byte, as in its allocation")
    long address;

    public static boolean isOn() {
        return PROBE.isEnabled();
    }

    /** Has the block released, and records it unless that is refused. */
    public static void record(LongConsumer release, long address) {
        FreeEvent event = new FreeEvent();
        event.begin();
        release.accept(address);
        event.address = address;
        event.commit();
    }
}
