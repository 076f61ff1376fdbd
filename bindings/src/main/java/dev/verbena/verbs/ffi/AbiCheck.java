package dev.verbena.verbs.ffi;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.util.List;

import dev.verbena.verbs.abi.ibv_async_event;
import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_cq_ex;
import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.abi.ibv_device_attr;
import dev.verbena.verbs.abi.ibv_gid_entry;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.abi.ibv_qp_attr;
import dev.verbena.verbs.abi.ibv_qp_ex;
import dev.verbena.verbs.abi.ibv_qp_init_attr;
import dev.verbena.verbs.abi.ibv_recv_wr;
import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.abi.ibv_sge;
import dev.verbena.verbs.abi.ibv_wc;
import dev.verbena.verbs.abi.rdma_cm_event;
import dev.verbena.verbs.abi.rdma_cm_id;
import dev.verbena.verbs.abi.verbs_context;

/**
 * Whether the generated layouts are those that a C compiler confirmed for this kind of machine: Linux with glibc on
 * x86-64 or AArch64.
 *
 * <pre>
 *   verbs_context                                              ibv_context
 *   +------------+----+--------------+----+--------------+----+------+----------+---------+-----------+-----------+------------+
 *   | query_port | .. | create_cq_ex | .. | create_qp_ex | .. |  sz  | device.. | poll_cq | post_send | post_recv | abi_compat |
 *   +------------+----+--------------+----+--------------+----+------+----------+---------+-----------+-----------+------------+
 *   -320              -120                -56                 -8     0          96        208         216         320       328
 *
 *   bytes from the ibv_context that applications hold a pointer to; abi_compat lies behind a mutex: 328 to 336 on AArch64
 * </pre>
 *
 * The layouts hold a pthread_mutex_t and differ by architecture and C library, so on any other machine than those
 * listed verbs are refused: a wrong offset is a wild write by the driver. Source: rdma-core 44, compared by the ABI
 * tests: all of it with the machine's compiler, and with a cross compiler for AArch64.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class AbiCheck {
    /** A size, or the offset of a field, in bytes. */
    public record Expectation(GroupLayout struct, String field, long expected) {
        public long actual() {
            return field == null ? struct.byteSize() : struct.byteOffset(PathElement.groupElement(field));
        }

        public String mismatch() {
            String what = (field == null ? "sizeof=" : "offsetof=") + struct.name().orElseThrow()
                    + (field == null ? "" : "." + field);
            return actual() == expected ? null : what + " bytes=" + actual() + " verified=" + expected;
        }
    }

    /** As os.arch says them. */
    private static final List<String> ARCHITECTURES = List.of("amd64", "aarch64");

    private AbiCheck() {}

    /**
     * Null, or one sentence that says why verbs are refused on this machine; touches no native code of rdma-core and no
     * layout.
     */
    public static String machineProblem() {
        return machineProblem(System.getProperty("os.name"), System.getProperty("os.arch"), isGlibc());
    }

    public static String machineProblem(String os, String architecture, boolean glibc) {
        return os.equals("Linux") && ARCHITECTURES.contains(architecture) && glibc ? null
                : "RDMA verbs are verified on Linux x86-64 and AArch64 with glibc only, not on os.name=" + os
                        + " os.arch="
                        + architecture + " glibc="
                        + glibc + ": use the fabric shm here.";
    }

    /** Null, or one sentence that says which layouts are not as they were verified. */
    public static String layoutProblem(List<Expectation> expectations) {
        List<String> wrong = expectations.stream().map(Expectation::mismatch).filter(m -> m != null).toList();
        return wrong.isEmpty() ? null
                : "The layouts in dev.verbena.verbs.abi are not those verified for Linux on os.arch="
                        + System.getProperty("os.arch") + ", "
                        + String.join(", ", wrong)
                        + ": regenerate them with jextract.sh from the headers of rdma-core on such a machine.";
    }

    /** musl has no such function; the default lookup is libc's own symbols. */
    private static boolean isGlibc() {
        return Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version").isPresent();
    }

    public static List<Expectation> verified() {
        // From a verbs_context to the ibv_context in it: the newer operations lie at negative offsets from the latter.
        long context = 320;
        long ops = 8;
        // How much larger a mutex is than on x86-64.
        long mutex = System.getProperty("os.arch").equals("aarch64") ? 8 : 0;
        GroupLayout operations = (GroupLayout) ibv_context.layout().select(PathElement.groupElement("ops"));
        return List.of(size(ibv_device.layout(), 664), size(ibv_device_attr.layout(), 232),
                size(ibv_port_attr.layout(), 52),
                size(ibv_gid_entry.layout(), 32), size(ibv_context.layout(), 328 + mutex),
                offset(ibv_context.layout(), "ops", ops),
                offset(operations, "poll_cq", 96 - ops), offset(operations, "req_notify_cq", 104 - ops),
                offset(operations, "post_srq_recv", 168 - ops), offset(operations, "post_send", 208 - ops),
                offset(operations, "post_recv", 216 - ops), offset(ibv_context.layout(), "abi_compat", 320 + mutex),
                offset(verbs_context.layout(), "context", context), offset(verbs_context.layout(), "sz", context - 8),
                offset(verbs_context.layout(), "create_qp_ex", context - 56),
                offset(verbs_context.layout(), "query_device_ex", context - 104),
                offset(verbs_context.layout(), "create_cq_ex", context - 120),
                offset(verbs_context.layout(), "query_port", context - 320),
                offset(ibv_cq_ex.layout(), "start_poll", 144 + mutex),
                offset(ibv_qp_ex.layout(), "wr_start", 320 + mutex),
                size(ibv_send_wr.layout(), 128), size(ibv_recv_wr.layout(), 32), size(ibv_sge.layout(), 16),
                size(ibv_wc.layout(), 48),
                size(ibv_qp_init_attr.layout(), 64), size(ibv_qp_attr.layout(), 144),
                size(ibv_async_event.layout(), 16),
                size(rdma_cm_id.layout(), 416), size(rdma_cm_event.layout(), 80));
    }

    private static Expectation size(GroupLayout struct, long expected) {
        return new Expectation(struct, null, expected);
    }

    private static Expectation offset(GroupLayout struct, String field, long expected) {
        return new Expectation(struct, field, expected);
    }
}
