package dev.verbena.transfer.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/**
 * That a connection ended by a failure, whosever; once for each.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the thread that it is about.
 */
@Name("dev.verbena.ConnectionFailed")
@Label("Connection Failed")
@Category({"Verbena", "Transfer"})
@Description("A connection failed as a whole; everything on it ends with this cause")
@Enabled(false)
@Registered(false)
public final class ConnectionFailedEvent extends Event {
    @Label("Device")
    String device;

    @Label("Peer")
    String peer;

    @Label("Cause")
    String cause;

    public static void record(String device, String peer, String cause) {
        ConnectionFailedEvent event = new ConnectionFailedEvent();
        event.device = device;
        event.peer = peer;
        event.cause = cause;
        event.commit();
    }
}
