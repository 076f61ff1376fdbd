package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The generated layouts and constants against the machine's C compiler and the installed headers. */
class AbiCompilerTest {
    @TempDir
    Path folder;

    @BeforeAll
    static void needsHeaders() {
        CCompiler.assumeRdmaHeaders();
    }

    @Test
    void everySizeAndOffsetIsTheCompilers() throws Exception {
        Map<String, Long> claims = new LinkedHashMap<>();
        LayoutsInC.generatedLayouts().forEach((name, layout) -> claims.putAll(LayoutsInC.claims(name, layout)));
        assertTrue(claims.size() > 1000, "claims=" + claims.size());
        assertTrue(claims.containsKey("offsetof(struct ibv_send_wr, wr.atomic.rkey)"), "nested members are compared");
        assertTrue(claims.containsKey("offsetof(pthread_mutex_t, __data)"), "typedefs without a tag are compared");
        assertTrue(claims.containsKey("offsetof(struct ibv_wc, imm_data)"), "members of anonymous unions are compared");
        if (!System.getProperty("os.arch").equals("amd64")) {
            claims.keySet().removeIf(LayoutsInC::isOfX86Only);
        }
        assertEquals(List.of(), LayoutsInC.contradictions(CCompiler.own(), claims, folder));
    }

    @Test
    void everyConstantIsTheCompilers() throws Exception {
        Map<String, Long> claims = LayoutsInC.generatedConstants();
        Set<String> included = new TreeSet<>();
        for (String line : Files.readAllLines(
                Path.of(System.getProperty("verbena.home"), "bindings/jextract.includes"))) {
            if (line.startsWith("--include-constant ")) {
                included.add("(long)" + line.substring(line.indexOf(' ') + 1));
            }
        }
        assertEquals(included, claims.keySet(), "each constant of jextract.includes is compared");
        assertEquals(List.of(), LayoutsInC.contradictions(CCompiler.own(), claims, folder));
    }

    @Test
    void aWrongLayoutIsFound() throws Exception {
        GroupLayout swapped = MemoryLayout
                .structLayout(ValueLayout.JAVA_LONG.withName("addr"), ValueLayout.JAVA_INT.withName("lkey"),
                        ValueLayout.JAVA_INT.withName("length"), ValueLayout.JAVA_LONG.withName("addr"))
                .withName("ibv_sge");
        List<String> contradictions = LayoutsInC.contradictions(CCompiler.own(), LayoutsInC.claims("ibv_sge", swapped),
                folder);
        assertEquals(
                List.of("sizeof(struct ibv_sge) generated=24 compiler=16",
                        "offsetof(struct ibv_sge, addr) generated=16 compiler=0",
                        "offsetof(struct ibv_sge, lkey) generated=8 compiler=12",
                        "offsetof(struct ibv_sge, length) generated=12 compiler=8"),
                contradictions);
    }

    @Test
    void aWrongConstantIsFound() throws Exception {
        assertEquals(List.of("(long)IBV_QPS_RTS generated=4 compiler=3"),
                LayoutsInC.contradictions(CCompiler.own(), Map.of("(long)IBV_QPS_RTS", 4L), folder));
    }
}
