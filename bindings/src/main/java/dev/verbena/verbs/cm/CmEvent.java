package dev.verbena.verbs.cm;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;

import dev.verbena.verbs.abi.rdma_cm_event;
import dev.verbena.verbs.abi.rdma_ud_param;

/**
 * What happened to a connection, copied and acknowledged: nothing waits for the program to be done with it.
 *
 * @param type what happened
 * @param id whose event it is; of a request the new connection, which the program must close
 * @param listener of a request who listened, otherwise null
 * @param status 0, an errno negative, or of REJECTED the peer's reason positive
 * @param problem of a failure one sentence that says what failed, why, and what to do; otherwise null
 * @param parameters what the peer told, private data among them; of account in CONNECT_REQUEST, CONNECT_RESPONSE,
 *            ESTABLISHED of the connecting side, and REJECTED; of datagrams private data alone
 * @param destination of datagrams in ESTABLISHED the peer, in MULTICAST_JOIN the group; otherwise null
 * @param group that MULTICAST_JOIN and MULTICAST_ERROR are about, otherwise null
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: rdma_get_cm_event(3).
 */
public record CmEvent(CmEventType type, CmId id, CmId listener, int status, String problem,
        ConnectionParameters parameters, DatagramDestination destination, InetAddress group) {
    static CmEvent of(MemorySegment event, CmId id, CmId listener) {
        CmEventType type = CmEventType.of(rdma_cm_event.event(event));
        int status = rdma_cm_event.status(event);
        String problem = type.isFailure() ? id.on() + ": " + CmFailure.describe(type, status) : null;
        MemorySegment parameters = rdma_cm_event.param(event);
        MemorySegment ofConnection = rdma_cm_event.param.conn(parameters);
        MemorySegment ofDatagram = rdma_cm_event.param.ud(parameters);
        return switch (type) {
            case MULTICAST_JOIN -> new CmEvent(type, id, listener, status, problem, ConnectionParameters.none(),
                    DatagramDestination.read(ofDatagram), group(id, ofDatagram));
            case MULTICAST_ERROR -> new CmEvent(type, id, listener, status, problem, ConnectionParameters.none(), null,
                    group(id, ofDatagram));
            // librdmacm fills it in as that of a connection, whatever it was.
            case REJECTED -> new CmEvent(type, id, listener, status, problem, ConnectionParameters.read(ofConnection),
                    null, null);
            default -> id.portSpace() == CmPortSpace.DATAGRAM
                    ? new CmEvent(type, id, listener, status, problem, ConnectionParameters.readDatagram(ofDatagram),
                            type == CmEventType.ESTABLISHED ? DatagramDestination.read(ofDatagram) : null, null)
                    : new CmEvent(type, id, listener, status, problem, ConnectionParameters.read(ofConnection), null,
                            null);
        };
    }

    private static InetAddress group(CmId id, MemorySegment ofDatagram) {
        return id.group(rdma_ud_param.private_data(ofDatagram));
    }

    /** The program's own data that came with it. */
    public byte[] privateData() {
        return parameters.privateData();
    }
}
