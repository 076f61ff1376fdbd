package dev.verbena.memory.slab;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The kernel's barrier on all threads of the process: what each did before it is seen by the caller behind it, and the other way round.
 * Whoever takes part pays nothing but keeping the compiler's order. membarrier(2), since Linux 4.14.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Membarrier {
    /** linux/membarrier.h: PRIVATE_EXPEDITED, and its registration. */
    private static final int COMMAND = 1 << 3;
    private static final int COMMAND_REGISTER = 1 << 4;
    private static final long UNKNOWN = -1;
    /** asm/unistd.h of the architecture; on another system the number is another call's. */
    private static final long SYS_MEMBARRIER = !System.getProperty("os.name").equals("Linux") ? UNKNOWN
            : switch (System.getProperty("os.arch")) {
                case "amd64" -> 324;
                case "aarch64", "riscv64" -> 283;
                default -> UNKNOWN;
            };

    /** {@code long syscall(SYS_membarrier, int cmd, unsigned int flags, int cpu_id);} which has no wrapper in the C library */
    private static final MethodHandle MEMBARRIER = SYS_MEMBARRIER == UNKNOWN ? null
            : Linker.nativeLinker().downcallHandle(
                    Linker.nativeLinker().defaultLookup().find("syscall").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(1));

    private static final boolean IS_THERE = MEMBARRIER != null && call(COMMAND_REGISTER) == 0 && call(COMMAND) == 0;

    private Membarrier() {}

    /** Whether this kernel has it, and lets this process. */
    public static boolean isThere() {
        return IS_THERE;
    }

    /** @throws IllegalStateException if it {@linkplain #isThere is not there} */
    public static void passAllThreads() {
        if (call(COMMAND) != 0) {
            throw new IllegalStateException("membarrier PRIVATE_EXPEDITED was refused, which it was not before");
        }
    }

    private static long call(int command) {
        try {
            return (long) MEMBARRIER.invokeExact(SYS_MEMBARRIER, command, 0, 0);
        } catch (Throwable e) {
            if (e instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e);
        }
    }
}
