package dev.verbena.verbs.ffi;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.util.HashMap;
import java.util.Map;

/**
 * What the numbers that verbs fail with are called, and what a user can do about the commonest. Source: errno(3), the
 * man pages of the verbs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class Errno {
    private static final Map<Integer, String> NAMES = new HashMap<>();

    static {
        name(EPERM(), "EPERM, operation not permitted");
        name(ENOENT(), "ENOENT, no such file or directory");
        name(EINTR(), "EINTR, interrupted");
        name(EIO(), "EIO, input/output error");
        name(ENXIO(), "ENXIO, no such device or address");
        name(EAGAIN(), "EAGAIN, try again");
        name(ENOMEM(), "ENOMEM, out of memory");
        name(EACCES(), "EACCES, permission denied");
        name(EFAULT(), "EFAULT, bad address");
        name(EBUSY(), "EBUSY, busy");
        name(EEXIST(), "EEXIST, exists already");
        name(ENODEV(), "ENODEV, no such device");
        name(EINVAL(), "EINVAL, invalid argument");
        name(ENFILE(), "ENFILE, too many open files on this machine");
        name(EMFILE(), "EMFILE, too many open files in this process");
        name(ENOSPC(), "ENOSPC, no space");
        name(ERANGE(), "ERANGE, out of range");
        name(ENOSYS(), "ENOSYS, not implemented");
        name(ENODATA(), "ENODATA, no data");
        name(EMSGSIZE(), "EMSGSIZE, message too long");
        name(EPROTONOSUPPORT(), "EPROTONOSUPPORT, protocol not supported");
        name(EOPNOTSUPP(), "EOPNOTSUPP, operation not supported");
        name(EADDRINUSE(), "EADDRINUSE, address in use");
        name(EADDRNOTAVAIL(), "EADDRNOTAVAIL, address not available");
        name(ENETUNREACH(), "ENETUNREACH, network unreachable");
        name(ECONNABORTED(), "ECONNABORTED, connection aborted");
        name(ECONNRESET(), "ECONNRESET, connection reset");
        name(ENOBUFS(), "ENOBUFS, no buffer space");
        name(EISCONN(), "EISCONN, connected already");
        name(ENOTCONN(), "ENOTCONN, not connected");
        name(ETIMEDOUT(), "ETIMEDOUT, timed out");
        name(ECONNREFUSED(), "ECONNREFUSED, connection refused");
        name(EHOSTUNREACH(), "EHOSTUNREACH, no route to host");
        name(EALREADY(), "EALREADY, in progress already");
        name(EINPROGRESS(), "EINPROGRESS, in progress");
        name(ESTALE(), "ESTALE, stale");
    }

    private Errno() {}

    private static void name(int errno, String text) {
        NAMES.put(errno, text);
    }

    public static String describe(int errno) {
        return "errno=" + errno + " (" + NAMES.getOrDefault(errno, "not a number that verbs are known to fail with")
                + ")";
    }

    /** What to do whatever the verb was, or null. */
    public static String remedy(int errno) {
        if (errno == EPERM() || errno == EACCES()) {
            return "let this user read and write the devices under /dev/infiniband";
        }
        if (errno == ENOENT() || errno == ENODEV() || errno == ENXIO()) {
            // libibverbs says ENOENT, too, where it may not open the file.
            return "look whether /dev/infiniband has the device's file and this user may read and write it; a container must be given it";
        }
        if (errno == EOPNOTSUPP()) {
            return "this device, its provider or this kernel does not have it";
        }
        if (errno == EMFILE() || errno == ENFILE()) {
            return "raise the limit of open files (ulimit -n)";
        }
        if (errno == ENOMEM()) {
            return "raise the limit of locked memory (ulimit -l) or use less of the device";
        }
        return null;
    }
}
