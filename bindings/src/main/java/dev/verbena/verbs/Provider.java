package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.LibC;

/**
 * The part of rdma-core that drives a device, known by the file that its functions lie in: the kernel's names tell less.
 * Before Linux 5.11 soft-RoCE's {@code device/driver} was that of the network adapter below it; and node descriptions
 * are the administrator's (rdma-ndd(8)).
 *
 * @param name as in the file's name: mlx5, rxe, siw; empty if it is not known
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Provider(String name) {
    /** libmlx5.so.1.24.44.0, librxe-rdmav34.so */
    private static final Pattern FILE = Pattern.compile("lib([a-z0-9_]+?)(-rdmav\\d+)?\\.so[.\\d]*");
    /** Write descriptors and ring doorbells, and nothing else. */
    private static final Set<String> POST_WITHOUT_KERNEL = Set.of("mlx4", "mlx5");
    /**
     * Read memory, and nothing else. Not bnxt_re, which calls the kernel after a resize (bnxt_re_resize_cq_complete in
     * providers/bnxt_re/verbs.c); not hfi1 and ipath, of which some kernels poll (ibv_cmd_poll_cq in
     * providers/hfi1verbs/hfiverbs.c).
     */
    private static final Set<String> POLL_WITHOUT_KERNEL = Set.of("mlx4", "mlx5", "rxe", "siw");
    private static final Set<String> SOFTWARE = Set.of("rxe", "siw");

    static Provider of(MemorySegment context) {
        return ofFile(LibC.fileOf(ibv_context_ops.poll_cq(ibv_context.ops(context))));
    }

    /** @param file null if it is not known */
    static Provider ofFile(String file) {
        Matcher matcher = FILE.matcher(file == null ? "" : file.substring(file.lastIndexOf('/') + 1));
        return new Provider(matcher.matches() ? matcher.group(1) : "");
    }

    /** Whether posting neither blocks nor enters the kernel; false when in doubt. */
    boolean postsWithoutKernel() {
        return POST_WITHOUT_KERNEL.contains(name);
    }

    /** Whether polling neither blocks nor enters the kernel; false when in doubt. */
    boolean pollsWithoutKernel() {
        return POLL_WITHOUT_KERNEL.contains(name);
    }

    /** As its functions may be called. */
    DataPath dataPath() {
        // siw_post_send returns 0 once it has rung the doorbell for those before the one that it refused (providers/siw/siw.c).
        return new DataPath(postsWithoutKernel(), pollsWithoutKernel(), name.equals("siw"));
    }

    /** Whether there is no hardware under it: soft-RoCE or soft-iWARP. */
    public boolean isSoftware() {
        return SOFTWARE.contains(name);
    }
}
