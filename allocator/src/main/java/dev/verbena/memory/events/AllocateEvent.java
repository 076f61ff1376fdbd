package dev.verbena.memory.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/**
 * That a block was handed out; its moment is behind the {@link FreeEvent} of who had the address before.
 *
 * <p>Costs nothing while nobody records it: until then the JDK leaves {@link Event#isEnabled} the constant false that it is in the
 * source, and the JIT drops what depends on it. Asked of an event that is made once, since in the interpreter each would be an object.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.Allocate")
@Label("Allocation")
@Category({"Verbena", "Allocator"})
@Description("A tensor or a block of an arena was allocated; one event for each, which may be tens of millions per second")
@Enabled(false)
@Registered(false)
public final class AllocateEvent extends Event {
    private static final AllocateEvent PROBE = new AllocateEvent();

    @Label("Address")
    @Description("Of its first byte; unique among what is live in the process")
    long address;

    @Label("Size")
    @Description("What was asked for, without rounding")
    @DataAmount
    long byteSize;

    public static boolean isOn() {
        return PROBE.isEnabled();
    }

    public static void record(long address, long byteSize) {
        AllocateEvent event = new AllocateEvent();
        event.address = address;
        event.byteSize = byteSize;
        event.commit();
    }
}
