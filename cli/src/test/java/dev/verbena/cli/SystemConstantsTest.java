package dev.verbena.cli;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Linker;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.verbs.CCompiler;

/**
 * The numbers with which the C library is called, against the compilers for x86-64 and AArch64: the classes that hold
 * them are loaded by a Java that says it runs there.
 */
class SystemConstantsTest {
    private static final List<String> CALLERS = List.of("dev.verbena.memory.slab.SystemMemory",
            "dev.verbena.transfer.fabric.shm.Libc", "dev.verbena.transfer.fabric.shm.UnixSocket",
            "dev.verbena.verbs.ffi.LibC");
    private static final List<String> HEADERS = List.of("dlfcn.h", "errno.h", "fcntl.h", "poll.h", "stddef.h",
            "stdio.h", "sys/socket.h", "sys/un.h",
            "sys/eventfd.h", "sys/mman.h", "sys/syscall.h", "linux/futex.h", "linux/memfd.h", "linux/mempolicy.h",
            "linux/mman.h");
    /** Fields that are not named like their macro. */
    private static final Map<String, String> IN_C = Map.ofEntries(entry("PROT_READ_WRITE", "PROT_READ | PROT_WRITE"),
            entry("MAP_PRIVATE_ANONYMOUS", "MAP_PRIVATE | MAP_ANONYMOUS"),
            entry("MAP_HUGETLB_2MB", "MAP_HUGETLB | MAP_HUGE_2MB"), entry("FAILED", "(long)MAP_FAILED"),
            entry("MPOL_MF_STRICT_MOVE", "MPOL_MF_STRICT | MPOL_MF_MOVE"),
            entry("MFD_HUGETLB_2MB", "MFD_HUGETLB | MFD_HUGE_2MB"),
            // Not in headers older than Linux 6.3.
            entry("MFD_NOEXEC_SEAL", "0x8"), entry("SIZE_SEALS", "F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL"),
            entry("SUN_PATH", "offsetof(struct sockaddr_un, sun_path)"),
            entry("UCRED_UID", "offsetof(struct ucred, uid)"),
            entry("UCRED_BYTE_SIZE", "sizeof(struct ucred)"), entry("MSG_IOV", "offsetof(struct msghdr, msg_iov)"),
            entry("MSG_IOVLEN", "offsetof(struct msghdr, msg_iovlen)"),
            entry("MSG_CONTROL", "offsetof(struct msghdr, msg_control)"),
            entry("MSG_CONTROLLEN", "offsetof(struct msghdr, msg_controllen)"),
            entry("MSGHDR_BYTE_SIZE", "sizeof(struct msghdr)"),
            entry("CMSG_LEVEL", "offsetof(struct cmsghdr, cmsg_level)"),
            entry("CMSG_TYPE", "offsetof(struct cmsghdr, cmsg_type)"), entry("CMSG_FD", "CMSG_LEN(0)"),
            entry("CMSG_LEN_OF_ONE", "CMSG_LEN(sizeof(int))"),
            entry("EVENTS_OFFSET", "offsetof(struct pollfd, events)"), entry("DL_INFO_BYTE_SIZE", "sizeof(Dl_info)"),
            entry("SYS_MBIND", "SYS_mbind"), entry("SYS_FUTEX", "SYS_futex"));
    /** Fields that are no number of C's. */
    private static final List<String> OURS = List.of("NO_FILE", "NODES_MAX");

    @TempDir
    Path folder;

    @Test
    void onThisMachine() throws Exception {
        assertEquals(List.of(),
                CCompiler.own().contradictions(HEADERS, claims(System.getProperty("os.arch")), folder));
    }

    @Test
    void onAArch64() throws Exception {
        CCompiler compiler = CCompiler.aarch64();
        assertEquals(List.of(), compiler.contradictions(HEADERS, claims("aarch64"), folder));
    }

    @Test
    void thoseOfX86AreWrongOnAArch64() throws Exception {
        CCompiler compiler = CCompiler.aarch64();
        assertEquals(
                List.of("O_TMPFILE generated=4259840 compiler=4210688", "SYS_futex generated=202 compiler=98",
                        "SYS_mbind generated=237 compiler=235"),
                compiler.contradictions(HEADERS, claims("amd64"), folder));
    }

    private Map<String, Long> claims(String architecture) throws IOException, InterruptedException {
        Path output = folder.resolve("constants");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-Xshare:auto", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-cp", System.getProperty("java.class.path"), PrintConstants.class.getName(), architecture)
                .redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), Files.readString(output));
        Map<String, Long> claims = new TreeMap<>();
        for (String line : Files.readAllLines(output)) {
            String[] constant = line.split("=");
            if (!OURS.contains(constant[0])) {
                claims.put(IN_C.getOrDefault(constant[0], constant[0]), Long.valueOf(constant[1]));
            }
        }
        assertTrue(claims.size() > 30, claims.toString());
        return claims;
    }

    /** Every constant number of those classes, on an architecture that Java's own linker is not told of. */
    static final class PrintConstants {
        private PrintConstants() {}

        public static void main(String[] arguments) throws ReflectiveOperationException {
            Linker.nativeLinker();
            System.setProperty("os.arch", arguments[0]);
            for (String name : CALLERS) {
                for (Field field : Class.forName(name).getDeclaredFields()) {
                    boolean number = List.<Class<?>>of(short.class, int.class, long.class).contains(field.getType());
                    if (number && Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        System.out.println(field.getName() + "=" + ((Number) field.get(null)).longValue());
                    }
                }
            }
        }
    }
}
