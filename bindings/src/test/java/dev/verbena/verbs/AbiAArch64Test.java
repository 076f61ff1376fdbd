package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Linker;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import dev.verbena.verbs.ffi.AbiCheck;

/**
 * The generated layouts and constants of a Java that says it runs on AArch64, against a compiler for it. None of it
 * needs such a machine, and none of it runs on one.
 */
class AbiAArch64Test {
    @TempDir
    Path folder;

    @BeforeAll
    static void needsHeaders() {
        CCompiler.assumeRdmaHeaders();
    }

    @Test
    void everySizeOffsetAndConstantIsTheCompilers() throws Exception {
        CCompiler compiler = CCompiler.aarch64();
        Map<String, Long> claims = claims();
        assertTrue(claims.size() > 1000, "claims=" + claims.size());
        assertTrue(claims.keySet().removeIf(LayoutsInC::isOfX86Only));
        assertEquals(List.of(), LayoutsInC.contradictions(compiler, claims, folder));
    }

    @Test
    void whatLiesBehindAMutexMoves() throws Exception {
        Map<String, Long> claims = claims();
        assertEquals(48, claims.get("sizeof(pthread_mutex_t)"));
        assertEquals(328, claims.get("offsetof(struct ibv_context, abi_compat)"));
        assertEquals(328, claims.get("offsetof(struct ibv_qp_ex, wr_start)"));
        assertEquals(152, claims.get("offsetof(struct ibv_cq_ex, start_poll)"));
    }

    @Test
    void theLayoutsOfX86AreFoundWrong() throws Exception {
        Map<String, Long> claims = LayoutsInC.claims("ibv_context", LayoutsInC.generatedLayouts().get("ibv_context"));
        claims.keySet().removeIf(LayoutsInC::isOfX86Only);
        List<String> contradictions = LayoutsInC.contradictions(CCompiler.aarch64(), claims, folder);
        boolean x86 = System.getProperty("os.arch").equals("amd64");
        assertEquals(x86,
                contradictions.contains("offsetof(struct ibv_context, abi_compat) generated=320 compiler=328"),
                contradictions.toString());
    }

    /** The claims of another Java, for the layouts are as the machine's name was when their classes were loaded. */
    private static Map<String, Long> claims() throws Exception {
        List<String> lines = CCompiler
                .run(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED", "-Xshare:auto", "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
                        PrintClaims.class.getName()))
                .lines().toList();
        assertEquals("problem=null", lines.getFirst());
        Map<String, Long> claims = new LinkedHashMap<>();
        for (String line : lines.subList(1, lines.size())) {
            int value = line.lastIndexOf('=') + 1;
            claims.put(line.substring(0, value - 1), Long.valueOf(line.substring(value)));
        }
        return claims;
    }

    /** What AbiCheck says of its own machine, and all claims; Java's own linker is not told of the other architecture. */
    static final class PrintClaims {
        private PrintClaims() {}

        public static void main(String[] arguments) throws Exception {
            Linker.nativeLinker();
            System.setProperty("os.arch", "aarch64");
            String problem = AbiCheck.machineProblem();
            System.out.println("problem=" + (problem == null ? AbiCheck.layoutProblem(AbiCheck.verified()) : problem));
            Map<String, Long> claims = LayoutsInC.generatedConstants();
            LayoutsInC.generatedLayouts().forEach((name, layout) -> claims.putAll(LayoutsInC.claims(name, layout)));
            claims.forEach((expression, value) -> System.out.println(expression + "=" + value));
        }
    }
}
