package dev.verbena.verbs.ffi;

import static dev.verbena.verbs.ffi.NativeCall.withErrno;
import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.invoke.MethodHandle;
import java.util.List;

/**
 * The exported verbs that fail by setting errno, bound so that it is captured ({@link NativeCall}), which jextract's
 * own calls do not do. Verbs that <em>return</em> their errno are called through the generated class.
 *
 * <p>A verb is bound when it is first called, for that takes a while: each has a holder, whose static initialiser fails
 * where the library or the symbol is missing.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class LibIbverbs {
    /** Apart, so that they can be looked for without binding anything. */
    public static final class Symbols {
        public static final List<String> REQUIRED = List.of("_ibv_query_gid_table", "ibv_ack_async_event",
                "ibv_ack_cq_events",
                "ibv_alloc_pd", "ibv_attach_mcast", "ibv_close_device", "ibv_create_ah", "ibv_create_comp_channel",
                "ibv_create_cq", "ibv_create_qp", "ibv_create_srq", "ibv_dealloc_pd", "ibv_dereg_mr", "ibv_destroy_ah",
                "ibv_destroy_comp_channel", "ibv_destroy_cq", "ibv_destroy_qp", "ibv_destroy_srq", "ibv_detach_mcast",
                "ibv_free_device_list", "ibv_get_async_event", "ibv_get_cq_event", "ibv_get_device_guid",
                "ibv_get_device_list", "ibv_get_device_name", "ibv_get_pkey_index", "ibv_import_device",
                "ibv_import_mr", "ibv_import_pd", "ibv_init_ah_from_wc",
                "ibv_is_fork_initialized", "ibv_modify_qp", "ibv_modify_srq", "ibv_open_device", "ibv_qp_to_qp_ex",
                "ibv_query_device", "ibv_query_ece", "ibv_query_pkey", "ibv_query_port", "ibv_query_qp",
                "ibv_query_qp_data_in_order", "ibv_query_srq", "ibv_reg_dmabuf_mr", "ibv_reg_mr_iova2", "ibv_rereg_mr",
                "ibv_resize_cq", "ibv_set_ece", "ibv_unimport_mr", "ibv_unimport_pd");

        private Symbols() {}
    }

    /** struct ibv_device **ibv_get_device_list(int *num_devices) */
    public static final class GetDeviceList {
        public static final MethodHandle HANDLE = withErrno(ibv_get_device_list$address(),
                ibv_get_device_list$descriptor());
    }

    /** struct ibv_context *ibv_open_device(struct ibv_device *device) */
    public static final class OpenDevice {
        public static final MethodHandle HANDLE = withErrno(ibv_open_device$address(), ibv_open_device$descriptor());
    }

    /** int ibv_close_device(struct ibv_context *context) */
    public static final class CloseDevice {
        public static final MethodHandle HANDLE = withErrno(ibv_close_device$address(), ibv_close_device$descriptor());
    }

    /** int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event) */
    public static final class GetAsyncEvent {
        public static final MethodHandle HANDLE = withErrno(ibv_get_async_event$address(),
                ibv_get_async_event$descriptor());
    }

    /** int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey) */
    public static final class QueryPkey {
        public static final MethodHandle HANDLE = withErrno(ibv_query_pkey$address(), ibv_query_pkey$descriptor());
    }

    /** struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) */
    public static final class AllocPd {
        public static final MethodHandle HANDLE = withErrno(ibv_alloc_pd$address(), ibv_alloc_pd$descriptor());
    }

    /** struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access) */
    public static final class RegMr {
        public static final MethodHandle HANDLE = withErrno(ibv_reg_mr_iova2$address(), ibv_reg_mr_iova2$descriptor());
    }

    /** struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context) */
    public static final class CreateCompChannel {
        public static final MethodHandle HANDLE = withErrno(ibv_create_comp_channel$address(),
                ibv_create_comp_channel$descriptor());
    }

    /** int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **cq_context) */
    public static final class GetCqEvent {
        public static final MethodHandle HANDLE = withErrno(ibv_get_cq_event$address(), ibv_get_cq_event$descriptor());
    }

    /** struct ibv_cq *ibv_create_cq(struct ibv_context *, int cqe, void *, struct ibv_comp_channel *, int comp_vector) */
    public static final class CreateCq {
        public static final MethodHandle HANDLE = withErrno(ibv_create_cq$address(), ibv_create_cq$descriptor());
    }

    /** struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr) */
    public static final class CreateQp {
        public static final MethodHandle HANDLE = withErrno(ibv_create_qp$address(), ibv_create_qp$descriptor());
    }

    /** struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr) */
    public static final class CreateSrq {
        public static final MethodHandle HANDLE = withErrno(ibv_create_srq$address(), ibv_create_srq$descriptor());
    }

    /** struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr) */
    public static final class CreateAh {
        public static final MethodHandle HANDLE = withErrno(ibv_create_ah$address(), ibv_create_ah$descriptor());
    }

    /** int ibv_init_ah_from_wc(struct ibv_context *, uint8_t port, struct ibv_wc *, struct ibv_grh *, struct ibv_ah_attr *) */
    public static final class InitAhFromWc {
        public static final MethodHandle HANDLE = withErrno(ibv_init_ah_from_wc$address(),
                ibv_init_ah_from_wc$descriptor());
    }

    /** struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *, uint64_t offset, size_t length, uint64_t iova, int fd, int access) */
    public static final class RegDmabufMr {
        public static final MethodHandle HANDLE = withErrno(ibv_reg_dmabuf_mr$address(),
                ibv_reg_dmabuf_mr$descriptor());
    }

    /** int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access) */
    public static final class ReregMr {
        public static final MethodHandle HANDLE = withErrno(ibv_rereg_mr$address(), ibv_rereg_mr$descriptor());
    }

    /** struct ibv_context *ibv_import_device(int cmd_fd) */
    public static final class ImportDevice {
        public static final MethodHandle HANDLE = withErrno(ibv_import_device$address(),
                ibv_import_device$descriptor());
    }

    /** struct ibv_pd *ibv_import_pd(struct ibv_context *context, uint32_t pd_handle) */
    public static final class ImportPd {
        public static final MethodHandle HANDLE = withErrno(ibv_import_pd$address(), ibv_import_pd$descriptor());
    }

    /** struct ibv_mr *ibv_import_mr(struct ibv_pd *pd, uint32_t mr_handle) */
    public static final class ImportMr {
        public static final MethodHandle HANDLE = withErrno(ibv_import_mr$address(), ibv_import_mr$descriptor());
    }

    private LibIbverbs() {}
}
