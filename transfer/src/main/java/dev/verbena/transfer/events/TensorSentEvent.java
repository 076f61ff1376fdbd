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
 * That a tensor left; its duration is from the offer until the sender's memory was free again. Costs nothing while nobody records it.
 *
 * <p><b>Owner:</b> the send, from one to the other. <b>Threading:</b> begun by who offers, ended by who drives.
 */
@Name("dev.verbena.TensorSent")
@Label("Tensor Sent")
@Category({"Verbena", "Transfer"})
@Description("A tensor was sent, or its transfer failed; one event for each, which may be millions per second")
@Enabled(false)
@Registered(false)
public final class TensorSentEvent extends Event {
    private static final TensorSentEvent PROBE = new TensorSentEvent();

    @Label("Name")
    @Description("That both ends have in common")
    String name;

    @Label("Peer")
    String peer;

    @Label("Size")
    @DataAmount
    long byteSize;

    @Label("Failure")
    @Description("Why it did not arrive; null if it did")
    String failure;

    /** One whose duration begins now; null while nobody records. */
    public static TensorSentEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        TensorSentEvent event = new TensorSentEvent();
        event.begin();
        return event;
    }

    public void commit(String name, String peer, long byteSize, String failure) {
        end();
        this.name = name;
        this.peer = peer;
        this.byteSize = byteSize;
        this.failure = failure;
        commit();
    }
}
