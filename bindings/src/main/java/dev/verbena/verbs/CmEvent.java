package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.rdma_cm_event;

/**
 * What happened to a connection, copied and acknowledged: nothing waits for the program to be done with it.
 *
 * @param type what happened
 * @param id whose event it is; of a request the new connection, which the program must close
 * @param listener of a request who listened, otherwise null
 * @param status 0, an errno negative, or of REJECTED the peer's reason positive
 * @param problem of a failure one sentence that says what failed, why, and what to do; otherwise null
 * @param parameters what the peer told, private data among them; of account in CONNECT_REQUEST, CONNECT_RESPONSE,
 *            ESTABLISHED of the connecting side, and REJECTED
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: rdma_get_cm_event(3).
 */
public record CmEvent(CmEventType type, CmId id, CmId listener, int status, String problem,
        ConnectionParameters parameters) {
    static CmEvent of(MemorySegment event, CmId id, CmId listener) {
        CmEventType type = CmEventType.of(rdma_cm_event.event(event));
        int status = rdma_cm_event.status(event);
        String problem = type.isFailure() ? id.on() + ": " + CmFailure.describe(type, status) : null;
        MemorySegment parameters = rdma_cm_event.param.conn(rdma_cm_event.param(event));
        return new CmEvent(type, id, listener, status, problem, ConnectionParameters.read(parameters));
    }

    /** The program's own data that came with it. */
    public byte[] privateData() {
        return parameters.privateData();
    }
}
