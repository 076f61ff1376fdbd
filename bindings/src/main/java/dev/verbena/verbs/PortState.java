package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

/**
 * How far a port has come; data flows in ACTIVE and ACTIVE_DEFER only.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: enum ibv_port_state, InfiniBand Architecture Specification volume 1, §7.2.7.
 */
public enum PortState {
    /** No state change reported. */
    NOP(IBV_PORT_NOP()),
    /** No link. */
    DOWN(IBV_PORT_DOWN()),
    /** Link up; the subnet manager has not configured the port. */
    INIT(IBV_PORT_INIT()),
    /** Configured, not yet released for data. */
    ARMED(IBV_PORT_ARMED()),
    /** Ready for data. */
    ACTIVE(IBV_PORT_ACTIVE()),
    /** Ready for data; a link failure is being ridden out. */
    ACTIVE_DEFER(IBV_PORT_ACTIVE_DEFER()),
    /** A state that these bindings do not know. */
    UNKNOWN(-1);

    private final int code;

    PortState(int code) {
        this.code = code;
    }

    static PortState of(int code) {
        for (PortState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        return UNKNOWN;
    }
}
