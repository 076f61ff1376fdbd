package dev.verbena.transfer.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/**
 * That memory was registered with a device; its duration is how long that took. One in steady state is one on the path of a tensor.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.Registration")
@Label("Registration")
@Category({"Verbena", "Transfer"})
@Description("Memory was registered with a device; the duration is that of the fabric's work")
@Enabled(false)
@Registered(false)
public final class RegistrationEvent extends Event {
    @Label("Device")
    String device;

    @Label("Size")
    @DataAmount
    long byteSize;

    @Label("Imported")
    @Description("Whether it is memory of the program's, not allocated by the fabric")
    boolean isImported;

    /** One whose duration begins now. */
    public static RegistrationEvent begun() {
        RegistrationEvent event = new RegistrationEvent();
        event.begin();
        return event;
    }

    public void commit(String device, long byteSize, boolean isImported) {
        this.device = device;
        this.byteSize = byteSize;
        this.isImported = isImported;
        commit();
    }
}
