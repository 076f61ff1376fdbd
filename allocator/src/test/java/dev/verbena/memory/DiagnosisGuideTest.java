package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import jdk.jfr.consumer.RecordingStream;

/** The examples of docs/guide/diagnosis.md, and that they are those. */
class DiagnosisGuideTest {
    private static final Path ROOT = Path.of(System.getProperty("verbena.home"));
    private static final Path GUIDE = ROOT.resolve("docs/guide/diagnosis.md");
    private static final int SNIPPETS = 8;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final List<String> lines = new ArrayList<>();
    private final Consumer<String> log = lines::add;

    @TempDir
    private Path folder;

    @Test
    void everyExampleOfTheGuideIsHere() throws IOException {
        GuideText guide = GuideText.of("docs/guide/diagnosis.md");
        assertEquals(SNIPPETS, guide.snippets().size());
        assertEquals(List.of(), guide.missingIn(GuideText.sourceOf(DiagnosisGuideTest.class)
                + GuideText.read("testing/src/test/java/dev/verbena/testing/region/RegionMapTest.java")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chosenWhereTheArenaIsCreated(boolean isDebug) {
        TensorArena arena = isDebug
                ? DebugArena.create(source, 1 << 20, 1 << 30)
                : TensorArena.create(source, 1 << 20, 1 << 30);
        assertEquals(isDebug, arena instanceof DebugArena);
        arena.close();
    }

    @Test
    void writeBehind() {
        String message = assertThrows(DamagedMemoryException.class, () -> {
            try (TensorArena arena = DebugArena.create(source, 1 << 20, 1 << 30)) {
                Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100));
                MemorySegment.ofAddress(tensor.address()).reinterpret(101).set(ValueLayout.JAVA_BYTE, 100, (byte) 7);
                tensor.close();
            }
        }).getMessage();
        assertTrue(message.startsWith("damaged blocks: 1\nwrite behind a block: block address=0x"), message);
        assertTrue(message.contains(" byteSize=100 byte at offset=100 is 0x7 instead of 0xfd; allocated\n    at "),
                message);
    }

    @Test
    void viewThatOutlivesItsTensor() {
        String message = assertThrows(IllegalStateException.class, () -> {
            try (TensorArena arena = DebugArena.create(source, 1 << 20, 1 << 30)) {
                MemorySegment view;
                try (Tensor tensor = arena.allocate(ElementType.FLOAT32, Shape.of(25))) {
                    view = tensor.memory();
                }
                view.get(ValueLayout.JAVA_FLOAT, 0);
            }
        }).getMessage();
        assertEquals("Already closed", message);
    }

    @Test
    void liveBySite() {
        try (DebugArena debugArena = DebugArena.create(source, 1 << 20, 1 << 30)) {
            Tensor tensor = debugArena.allocate(ElementType.UINT8, Shape.of(100));
            for (SiteUsage usage : debugArena.liveBySite()) {
                log.accept(usage.liveByteSize() + " bytes from " + usage.frames().getFirst());
            }
            debugArena.check();
            tensor.close();
        }
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().startsWith("100 bytes from ") && lines.getFirst().contains("liveBySite"),
                lines::toString);
    }

    @Test
    void plannedRegion() {
        DebugOptions options = DebugOptions.defaults().withGuardByteSize(4096).withQuarantineByteSizeMax(64 << 20);
        long planned = TensorArena.plannedByteSize(1, options.guardedByteSize(1000), options.guardedByteSize(2000));
        try (DebugArena arena = DebugArena.create(source, planned, planned, options)) {
            arena.allocate(ElementType.UINT8, Shape.of(2000)).close();
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void sampledSites() {
        ArenaOptions options = ArenaOptions.defaults().withSiteInterval(1000);
        try (TensorArena arena = TensorArena.create(source, 1 << 20, 1 << 30, options)) {
            train(arena);
            log.accept(arena.liveReport().toString());
        }
        assertEquals(List.of("liveCount=0 liveByteSize=0; one in 1000 has its site:"), lines);
    }

    private static void train(TensorArena arena) {
        arena.allocate(ElementType.UINT8, Shape.of(100)).close();
    }

    @Test
    void recordingStream() {
        try (TensorArena arena = TensorArena.create(source, 1 << 20, 1 << 20)) {
            try (RecordingStream stream = new RecordingStream()) {
                stream.enable("dev.verbena.OutOfMemory");
                stream.onEvent("dev.verbena.OutOfMemory", event -> log.accept("wanted " + event.getLong("byteSize")
                        + " had " + event.getLong("freeByteSize")));
                stream.startAsync();
                arena.tryAllocate(ElementType.UINT8, Shape.of(1L << 40));
                stream.stop();
            }
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(1L << 40)));
        }
        assertEquals(List.of("wanted 1099511627776 had 1048576"), lines);
    }
}
