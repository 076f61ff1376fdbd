package dev.verbena.transfer.fabric.control;

import dev.verbena.transfer.spi.Connection;

/**
 * A connection that hears of its peer over a control socket.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> as {@link Connection}; watched on the control thread.
 */
public interface ControlledConnection extends Connection, ControlLoop.Watcher {
    ControlSocket socket();
}
