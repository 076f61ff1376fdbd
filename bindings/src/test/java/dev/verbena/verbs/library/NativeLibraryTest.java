package dev.verbena.verbs.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

class NativeLibraryTest {
    @Test
    void everyGeneratedFunctionIsInTheLibraries() throws IOException {
        assumeInstalled();
        List<String> functions = Files
                .readAllLines(Path.of(System.getProperty("verbena.home"), "bindings/jextract.includes")).stream()
                .filter(line -> line.startsWith("--include-function ")).map(line -> line.split(" ")[1]).toList();
        assertTrue(functions.containsAll(List.of("ibv_open_device", "rdma_create_id")), "functions=" + functions);
        for (String function : functions) {
            assertNotEquals(MemorySegment.NULL, NativeLibrary.require(function), function);
        }
    }

    @Test
    void aFunctionThatTheLibraryLacksIsALinkageErrorThatNamesIt() {
        assumeInstalled();
        UnsatisfiedLinkError error = assertThrows(UnsatisfiedLinkError.class,
                () -> NativeLibrary.require("rdma_teleport"));
        assertEquals(
                "This machine's library=librdmacm.so.1 is too old, symbols=[rdma_teleport] are missing: install rdma-core 44 or newer.",
                error.getMessage());
    }

    @Test
    void aMissingLibraryStaysMissing() {
        NativeLibrary missing = new NativeLibrary("libnothing.so.9", "libnothing9");
        String problem = missing.problem(List.of());
        assertTrue(problem.contains("library=libnothing.so.9"), problem);
        assertEquals(problem, missing.problem(List.of("malloc")));
    }

    private static void assumeInstalled() {
        for (NativeLibrary library : List.of(NativeLibrary.IBVERBS, NativeLibrary.RDMACM)) {
            String problem = library.problem(List.of());
            assumeTrue(problem == null, "skipped: " + problem);
        }
    }
}
