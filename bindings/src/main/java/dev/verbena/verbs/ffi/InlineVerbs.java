package dev.verbena.verbs.ffi;

import static dev.verbena.verbs.abi.rdma_core_h.*;
import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_device_attr_ex;
import dev.verbena.verbs.abi.ibv_parent_domain_init_attr;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.abi.ibv_td_init_attr;
import dev.verbena.verbs.abi.verbs_context;
import dev.verbena.verbs.VerbsException;

/**
 * The verbs that are no symbols: static inline functions of {@code infiniband/verbs.h} that call a function pointer of
 * the context, written out here because jextract passes over them. Source: verbs.h of rdma-core 44, verbs_get_ctx_op
 * and ___ibv_query_port.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as the functions called.
 */
public final class InlineVerbs {
    private static final long CONTEXT_OFFSET = offset("context");
    private static final long SIZE_OFFSET = offset("sz");
    private static final long QUERY_PORT_OFFSET = offset("query_port");
    private static final long QUERY_DEVICE_EX_OFFSET = offset("query_device_ex");
    private static final long CREATE_CQ_EX_OFFSET = offset("create_cq_ex");
    private static final long CREATE_QP_EX_OFFSET = offset("create_qp_ex");
    private static final long MODIFY_CQ_OFFSET = offset("modify_cq");
    private static final long ALLOC_TD_OFFSET = offset("alloc_td");
    private static final long DEALLOC_TD_OFFSET = offset("dealloc_td");
    private static final long ALLOC_PARENT_DOMAIN_OFFSET = offset("alloc_parent_domain");
    private static final long ADVISE_MR_OFFSET = offset("advise_mr");

    /** struct T *create_T_ex(struct ibv_context *context, struct T_init_attr_ex *attr), and those that are alike. */
    private static final class CreateEx {
        static final MethodHandle HANDLE = NativeCall.withErrno(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    }

    /** struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type) */
    private static final class AllocMw {
        static final MethodHandle HANDLE = NativeCall
                .withErrno(FunctionDescriptor.of(ADDRESS, ADDRESS, ValueLayout.JAVA_INT));
    }

    private InlineVerbs() {}

    /**
     * Zero, or an errno. The exported function of the same name fills in the first 48 bytes only, so it is the way out
     * and not the way.
     */
    public static int queryPort(MemorySegment context, int port, MemorySegment attributes) {
        MemorySegment operation = extendedOperation(context, QUERY_PORT_OFFSET);
        if (operation.equals(MemorySegment.NULL)) {
            attributes.fill((byte) 0);
            return ibv_query_port(context, (byte) port, attributes);
        }
        return verbs_context.query_port.invoke(operation, context, (byte) port, attributes, ibv_port_attr.sizeof());
    }

    /**
     * The function at this offset of the verbs_context around an ibv_context; NULL where the provider has none: it is
     * not extended (abi_compat is not all ones), its verbs_context is too short (it grows towards lower addresses, sz
     * counts from the end), or it left the field empty.
     */
    public static MemorySegment extendedOperation(MemorySegment context, long operationOffset) {
        if (ibv_context.abi_compat(context).address() != -1L) {
            return MemorySegment.NULL;
        }
        long start = context.address() - CONTEXT_OFFSET;
        long size = at(start + SIZE_OFFSET).get(ValueLayout.JAVA_LONG, 0);
        if (Long.compareUnsigned(size, verbs_context.sizeof() - operationOffset) < 0) {
            return MemorySegment.NULL;
        }
        return at(start + operationOffset).get(ValueLayout.ADDRESS, 0);
    }

    /** Zero, or an errno. Where the provider has no such function the attributes are those of the classic one. */
    public static int queryExtendedDevice(MemorySegment context, MemorySegment attributes) {
        MemorySegment operation = extendedOperation(context, QUERY_DEVICE_EX_OFFSET);
        int errno = operation.equals(MemorySegment.NULL) ? EOPNOTSUPP()
                : verbs_context.query_device_ex.invoke(operation, context, MemorySegment.NULL, attributes,
                        ibv_device_attr_ex.sizeof());
        if (errno == EOPNOTSUPP() || errno == ENOSYS()) {
            attributes.fill((byte) 0);
            return ibv_query_device(context, ibv_device_attr_ex.orig_attr(attributes));
        }
        return errno;
    }

    /** NULL, with errno in the capture. */
    public static MemorySegment createExtendedCompletionQueue(MemorySegment context, MemorySegment capture,
            MemorySegment attributes) throws Throwable {
        return (MemorySegment) CreateEx.HANDLE.invokeExact(require("ibv_create_cq_ex", context, CREATE_CQ_EX_OFFSET),
                capture, context, attributes);
    }

    /** NULL, with errno in the capture. */
    public static MemorySegment createExtendedQueuePair(MemorySegment context, MemorySegment capture,
            MemorySegment attributes) throws Throwable {
        return (MemorySegment) CreateEx.HANDLE.invokeExact(require("ibv_create_qp_ex", context, CREATE_QP_EX_OFFSET),
                capture, context, attributes);
    }

    /** Zero, or an errno. */
    public static int modifyCompletionQueue(MemorySegment context, MemorySegment queue, MemorySegment attributes) {
        MemorySegment operation = extendedOperation(context, MODIFY_CQ_OFFSET);
        return operation.equals(MemorySegment.NULL) ? EOPNOTSUPP()
                : verbs_context.modify_cq.invoke(operation, queue, attributes);
    }

    /** NULL, with errno in the capture. */
    public static MemorySegment allocateMemoryWindow(MemorySegment context, MemorySegment capture, MemorySegment domain,
            int type) throws Throwable {
        MemorySegment operation = ibv_context_ops.alloc_mw(ibv_context.ops(context));
        if (operation.equals(MemorySegment.NULL)) {
            throw notSupported("ibv_alloc_mw", context);
        }
        return (MemorySegment) AllocMw.HANDLE.invokeExact(operation, capture, domain, type);
    }

    /** Zero, or an errno. The caller has checked what the inline function checks: the type and the domains. */
    public static int bindMemoryWindow(MemorySegment context, MemorySegment pair, MemorySegment window,
            MemorySegment bind) {
        MemorySegment operation = ibv_context_ops.bind_mw(ibv_context.ops(context));
        return operation.equals(MemorySegment.NULL) ? EOPNOTSUPP()
                : ibv_context_ops.bind_mw.invoke(operation, pair, window, bind);
    }

    /** NULL, with errno in the capture. */
    public static MemorySegment allocateThreadDomain(MemorySegment context, MemorySegment capture) throws Throwable {
        MemorySegment operation = require("ibv_alloc_td", context, ALLOC_TD_OFFSET);
        try (Arena arena = Arena.ofConfined()) {
            return (MemorySegment) CreateEx.HANDLE.invokeExact(operation, capture, context,
                    ibv_td_init_attr.allocate(arena));
        }
    }

    /** Zero, or an errno. */
    public static int deallocateThreadDomain(MemorySegment context, MemorySegment domain) {
        return verbs_context.dealloc_td.invoke(require("ibv_dealloc_td", context, DEALLOC_TD_OFFSET), domain);
    }

    /** NULL, with errno in the capture. A thread domain of NULL is none. */
    public static MemorySegment allocateParentDomain(MemorySegment context, MemorySegment capture, MemorySegment domain,
            MemorySegment threadDomain) throws Throwable {
        MemorySegment operation = require("ibv_alloc_parent_domain", context, ALLOC_PARENT_DOMAIN_OFFSET);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_parent_domain_init_attr.allocate(arena);
            ibv_parent_domain_init_attr.pd(attributes, domain);
            ibv_parent_domain_init_attr.td(attributes, threadDomain);
            return (MemorySegment) CreateEx.HANDLE.invokeExact(operation, capture, context, attributes);
        }
    }

    /** Zero, or an errno. */
    public static int adviseMemory(MemorySegment context, MemorySegment domain, int advice, int flags,
            MemorySegment elements,
            int count) {
        return verbs_context.advise_mr.invoke(require("ibv_advise_mr", context, ADVISE_MR_OFFSET), domain, advice,
                flags, elements, count);
    }

    private static VerbsException notSupported(String verb, MemorySegment context) {
        return new VerbsException(verb, "context=" + Long.toHexString(context.address()), EOPNOTSUPP(),
                "the device's provider does not have it");
    }

    private static MemorySegment require(String verb, MemorySegment context, long offset) {
        MemorySegment operation = extendedOperation(context, offset);
        if (operation.equals(MemorySegment.NULL)) {
            throw notSupported(verb, context);
        }
        return operation;
    }

    public static long offset(String operation) {
        return verbs_context.layout().byteOffset(PathElement.groupElement(operation));
    }

    /** Eight bytes, read as such only after abi_compat said that they exist. */
    private static MemorySegment at(long address) {
        return MemorySegment.ofAddress(address).reinterpret(Long.BYTES);
    }
}
