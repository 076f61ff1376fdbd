package dev.verbena.verbs.ffi;

import static dev.verbena.verbs.ffi.NativeCall.withErrno;
import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * librdmacm's functions, all of which fail by setting errno. The library is optional: verbs work without it.
 *
 * <p>A function is bound when it is first called, for that takes a while: each has a holder, whose static initialiser fails
 * where the library or the symbol is missing.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable; each call is made with {@link #LOCK}.
 */
public final class LibRdmacm {
    /** Apart, so that they can be looked for without binding anything. */
    public static final class Symbols {
        public static final List<String> REQUIRED = List.of("rdma_accept", "rdma_ack_cm_event", "rdma_bind_addr",
                "rdma_connect", "rdma_create_event_channel", "rdma_create_id", "rdma_create_qp",
                "rdma_destroy_event_channel", "rdma_destroy_id", "rdma_destroy_qp", "rdma_disconnect",
                "rdma_establish", "rdma_get_cm_event", "rdma_get_devices", "rdma_init_qp_attr",
                "rdma_join_multicast_ex", "rdma_leave_multicast", "rdma_listen", "rdma_migrate_id", "rdma_reject",
                "rdma_resolve_addr", "rdma_resolve_route", "rdma_set_option");

        private Symbols() {}
    }

    /**
     * Held around each call. Taking an event changes the connection it is about (librdmacm moves its queue pair to the
     * next state), while other threads may be using or destroying it: librdmacm leaves it to its caller that these do
     * not meet. No call under it waits for a peer.
     */
    public static final Object LOCK = new Object();

    /** struct rdma_event_channel *rdma_create_event_channel(void) */
    public static final class CreateEventChannel {
        public static final MethodHandle HANDLE = withErrno(rdma_create_event_channel$address(),
                rdma_create_event_channel$descriptor());
    }

    /** int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event) */
    public static final class GetEvent {
        public static final MethodHandle HANDLE = withErrno(rdma_get_cm_event$address(),
                rdma_get_cm_event$descriptor());
    }

    /** int rdma_create_id(struct rdma_event_channel *, struct rdma_cm_id **id, void *context, enum rdma_port_space) */
    public static final class CreateId {
        public static final MethodHandle HANDLE = withErrno(rdma_create_id$address(), rdma_create_id$descriptor());
    }

    /** int rdma_destroy_id(struct rdma_cm_id *id) */
    public static final class DestroyId {
        public static final MethodHandle HANDLE = withErrno(rdma_destroy_id$address(), rdma_destroy_id$descriptor());
    }

    /** int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel) */
    public static final class MigrateId {
        public static final MethodHandle HANDLE = withErrno(rdma_migrate_id$address(), rdma_migrate_id$descriptor());
    }

    /** int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr) */
    public static final class BindAddress {
        public static final MethodHandle HANDLE = withErrno(rdma_bind_addr$address(), rdma_bind_addr$descriptor());
    }

    /** int rdma_resolve_addr(struct rdma_cm_id *, struct sockaddr *src, struct sockaddr *dst, int timeout_ms) */
    public static final class ResolveAddress {
        public static final MethodHandle HANDLE = withErrno(rdma_resolve_addr$address(),
                rdma_resolve_addr$descriptor());
    }

    /** int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms) */
    public static final class ResolveRoute {
        public static final MethodHandle HANDLE = withErrno(rdma_resolve_route$address(),
                rdma_resolve_route$descriptor());
    }

    /** int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr) */
    public static final class CreateQp {
        public static final MethodHandle HANDLE = withErrno(rdma_create_qp$address(), rdma_create_qp$descriptor());
    }

    /** int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask) */
    public static final class InitQpAttributes {
        public static final MethodHandle HANDLE = withErrno(rdma_init_qp_attr$address(),
                rdma_init_qp_attr$descriptor());
    }

    /** int rdma_listen(struct rdma_cm_id *id, int backlog) */
    public static final class Listen {
        public static final MethodHandle HANDLE = withErrno(rdma_listen$address(), rdma_listen$descriptor());
    }

    /** int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param) */
    public static final class Connect {
        public static final MethodHandle HANDLE = withErrno(rdma_connect$address(), rdma_connect$descriptor());
    }

    /** int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param) */
    public static final class Accept {
        public static final MethodHandle HANDLE = withErrno(rdma_accept$address(), rdma_accept$descriptor());
    }

    /** int rdma_establish(struct rdma_cm_id *id) */
    public static final class Establish {
        public static final MethodHandle HANDLE = withErrno(rdma_establish$address(), rdma_establish$descriptor());
    }

    /** int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len) */
    public static final class Reject {
        public static final MethodHandle HANDLE = withErrno(rdma_reject$address(), rdma_reject$descriptor());
    }

    /** int rdma_disconnect(struct rdma_cm_id *id) */
    public static final class Disconnect {
        public static final MethodHandle HANDLE = withErrno(rdma_disconnect$address(), rdma_disconnect$descriptor());
    }

    /** int rdma_join_multicast_ex(struct rdma_cm_id *id, struct rdma_cm_join_mc_attr_ex *attr, void *context) */
    public static final class JoinMulticast {
        public static final MethodHandle HANDLE = withErrno(rdma_join_multicast_ex$address(),
                rdma_join_multicast_ex$descriptor());
    }

    /** int rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr) */
    public static final class LeaveMulticast {
        public static final MethodHandle HANDLE = withErrno(rdma_leave_multicast$address(),
                rdma_leave_multicast$descriptor());
    }

    /** int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen) */
    public static final class SetOption {
        public static final MethodHandle HANDLE = withErrno(rdma_set_option$address(), rdma_set_option$descriptor());
    }

    /** struct ibv_context **rdma_get_devices(int *num_devices) */
    public static final class GetDevices {
        public static final MethodHandle HANDLE = withErrno(rdma_get_devices$address(), rdma_get_devices$descriptor());
    }

    private LibRdmacm() {}
}
