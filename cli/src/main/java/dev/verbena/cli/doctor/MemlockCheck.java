package dev.verbena.cli.doctor;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How much memory this process may lock, against what a run registers: registered memory is locked. */
final class MemlockCheck implements Check {
    private static final String NAME = "memlock";
    /** CAP_IPC_LOCK of linux/capability.h. */
    private static final int IPC_LOCK_BIT = 14;
    private static final Pattern EFFECTIVE = Pattern.compile("^CapEff:\\s*([0-9a-f]+)", Pattern.MULTILINE);
    /** The map of the initial user namespace; capabilities of another one count for nothing here. */
    private static final Pattern INITIAL_NAMESPACE = Pattern.compile("\\s*0\\s+0\\s+4294967295");

    @Override
    public List<Finding> look(Machine machine) {
        if (mayLockAnything(machine.files())) {
            return List.of(Finding.ok(NAME, "no limit, this process has CAP_IPC_LOCK"));
        }
        long limit = ProcessLimits.soft(machine.files(), "Max locked memory");
        long needed = machine.neededByteSize();
        String seen = limit == ProcessLimits.UNLIMITED ? "no limit"
                : "at most " + limit + " bytes may be locked, a run registers " + needed;
        String remedy = "ulimit -l unlimited, or memlock in /etc/security/limits.conf, LimitMEMLOCK=infinity of a"
                + " systemd service, docker run --ulimit memlock=-1";
        if (limit < 0) {
            return List.of(Finding.warning(NAME, "the limit cannot be read", "look at ulimit -l"));
        }
        if (limit >= needed) {
            return List.of(Finding.ok(NAME, seen));
        }
        return List.of(machine.devices().isEmpty()
                ? Finding.warning(NAME, seen + " (this counts for RDMA only)", remedy)
                : Finding.problem(NAME, seen, remedy, VERBS));
    }

    private static boolean mayLockAnything(SystemFiles files) {
        Matcher effective = EFFECTIVE.matcher(files.read("/proc/self/status"));
        return effective.find() && (Long.parseUnsignedLong(effective.group(1), 16) >>> IPC_LOCK_BIT & 1) == 1
                && INITIAL_NAMESPACE.matcher(files.read("/proc/self/uid_map")).matches();
    }
}
