package dev.verbena.transfer.counters;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of memory that never has a name, memfd_create(2): it is gone with its process, however and whenever that is killed. A file that is
 * made and unlinked has a name for a moment; of 1,000 processes that were killed at random moments two left one behind.
 *
 * <p><b>Owner:</b> who opens it. <b>Threading:</b> pure functions.
 */
final class NamelessFile {
    /** linux/memfd.h; so the next. */
    private static final int MFD_CLOEXEC = 0x1;
    /** Some systems want it (vm.memfd_noexec); kernels before 6.3 do not know it. */
    private static final int MFD_NOEXEC_SEAL = 0x8;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LIBC = LINKER.defaultLookup();
    /** {@code int memfd_create(const char *name, unsigned int flags)} */
    private static final MethodHandle MEMFD_CREATE = LINKER.downcallHandle(LIBC.find("memfd_create").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    /** {@code int close(int fd)} */
    private static final MethodHandle CLOSE = LINKER.downcallHandle(LIBC.find("close").orElseThrow(),
            FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private NamelessFile() {}

    /**
     * For reading and writing, empty.
     *
     * @param purpose what {@code /proc/PID/fd} says of it, behind {@code memfd:}
     * @throws IOException if the kernel has no memory for it, or no such files
     */
    static FileChannel open(String purpose) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            var name = arena.allocateFrom(purpose);
            int fd = (int) MEMFD_CREATE.invokeExact(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
            if (fd < 0) {
                fd = (int) MEMFD_CREATE.invokeExact(name, MFD_CLOEXEC);
            }
            if (fd < 0) {
                throw new IOException("memfd_create failed; look at ulimit -n and the kernel's version");
            }
            try {
                return FileChannel.open(Path.of("/proc/self/fd/" + fd), StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
            } finally {
                int unused = (int) CLOSE.invokeExact(fd);
            }
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }
}
