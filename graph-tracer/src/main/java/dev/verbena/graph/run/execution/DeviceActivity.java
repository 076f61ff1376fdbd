package dev.verbena.graph.run.execution;

import dev.verbena.transfer.RdmaDevice;

/**
 * What a device sees arrive.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> thread-safe.
 */
public record DeviceActivity(RdmaDevice device) implements Activity {
    @Override
    public long current() {
        return device.activity();
    }

    @Override
    public void await(long seen, long timeoutNs) {
        device.awaitActivity(seen, timeoutNs);
    }

    @Override
    public void wakeUp() {
        device.wakeUp();
    }
}
