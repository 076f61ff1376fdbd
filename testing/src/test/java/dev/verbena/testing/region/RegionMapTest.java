package dev.verbena.testing.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.TensorArena;

/** Figures of a map, its text, and what is no map. */
class RegionMapTest {
    private static final long GIB = 1L << 30;
    private static final long PAGE = 4096;

    /** 64 pages: 16 of a large block, 4 runs of slots, 16 free, another large one. */
    static RegionMap example() {
        return new RegionMap(List.of(new SlabMap(0x7f0000000000L, List.of(
                RunMap.large(0, 16),
                RunMap.slots(16, 4, 256, 64, 64), RunMap.slots(20, 4, 256, 64, 32),
                RunMap.slots(24, 4, 256, 64, 0), RunMap.slots(28, 4, 1024, 16, 3),
                RunMap.free(32, 16), RunMap.large(48, 8), RunMap.free(56, 8)))));
    }

    @Test
    void theFiguresAreThoseOfTheRuns() {
        RegionMap map = example();
        assertEquals(64 * PAGE, map.byteSize());
        assertEquals(24 * PAGE, map.freeRunByteSize());
        assertEquals(16 * PAGE, map.largestFreeRunByteSize());
        assertEquals(24 * PAGE + 96 * 256 + 3 * 1024, map.liveByteSize());
        assertEquals(map.byteSize(), map.liveByteSize() + map.freeRunByteSize() + map.emptySlotByteSize());
    }

    @Test
    void theTextShowsEachPage() {
        assertEquals("""
                region 256 KiB: live 48.0 %, empty slots 14.5 %, free runs 37.5 %, largest free run 64 KiB; \
                a character is 4 KiB
                . free   o only empty slots   live: - up to 25 %   = 50 %   + 75 %   * less than 96 %   # more
                slab 0 address=0x7f0000000000 256 KiB
                  0x0000000000 |################|
                  0x0000010000 |####====oooo----|
                  0x0000020000 |................|
                  0x0000030000 |########........|
                """, example().toText(16));
    }

    @Test
    void aCharacterThatStandsForSeveralRunsShowsTheirShare() {
        RegionMap map = new RegionMap(List.of(new SlabMap(0, List.of(
                RunMap.large(0, 64), RunMap.free(64, 67), RunMap.large(131, 60), RunMap.free(191, 1)))));
        List<String> lines = map.toText(1).lines().toList();
        assertTrue(lines.get(0).endsWith("a character is 16 KiB"), lines::toString);
        assertEquals(3 + 48, lines.size());
        assertEquals("  0x0000080000 |-|", lines.get(3 + 32));
        assertEquals("  0x00000b8000 |#|", lines.get(3 + 46));
        assertEquals("  0x00000bc000 |+|", lines.get(3 + 47));
    }

    @ParameterizedTest
    @CsvSource({"1, -", "2, -", "3, =", "4, =", "5, +", "6, +", "7, *", "8, #"})
    void theCharacterTellsTheShare(int live, String symbol) {
        RegionMap map = new RegionMap(List.of(new SlabMap(0, List.of(RunMap.slots(0, 1, 512, 8, live)))));
        assertTrue(map.toText(10).endsWith("|" + symbol + "|\n"), map.toText(10));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 80, 4096})
    void regionsOfManyGibibytesStayReadable(int width) {
        RegionMap map = large(new Random(1), 300 * GIB);
        List<String> lines = map.toText(width).lines().toList();
        assertTrue(lines.size() <= 2 + 64 + 2 * 3, () -> "lines=" + lines.size());
        assertTrue(lines.stream().filter(line -> line.endsWith("|")).allMatch(line -> line.length() <= width + 17));
        assertTrue(lines.stream().filter(line -> line.endsWith("|")).count() >= 3);
    }

    /** Three slabs of runs of a few pages up to a few GiB. */
    static RegionMap large(Random random, long byteSize) {
        List<SlabMap> slabs = new ArrayList<>();
        for (int slab = 0; slab < 3; slab++) {
            List<RunMap> runs = new ArrayList<>();
            long end = byteSize / PAGE / 3;
            for (long page = 0; page < end;) {
                long pages = Math.min(end - page, 1 + random.nextInt(1 << random.nextInt(1, 20)));
                runs.add(switch (random.nextInt(3)) {
                    case 0 -> RunMap.free(page, pages);
                    case 1 -> RunMap.large(page, pages);
                    default -> RunMap.slots(page, pages, PAGE, (int) pages, random.nextInt((int) pages + 1));
                });
                page += pages;
            }
            slabs.add(new SlabMap(slab << 20, runs));
        }
        return new RegionMap(slabs);
    }

    @Test
    void nothingIsShownTooWithoutASlab() {
        RegionMap map = new RegionMap(List.of(new SlabMap(0, List.of())));
        assertTrue(map.toText(8).startsWith("region 0 bytes: live 0.0 %, empty slots 0.0 %"), map.toText(8));
        assertTrue(new RegionMap(List.of()).toSvg("none").contains("region 0 bytes"));
    }

    @Test
    void theGuideShowsIt(@TempDir Path folder) throws IOException {
        List<String> lines = new ArrayList<>();
        Consumer<String> log = lines::add;
        RegionMap map = example();
        Path file = folder.resolve("region.svg");
        log.accept(map.toText(16));
        Files.writeString(file, map.toSvg("feeds of worker:0"));
        String shown = lines.getFirst().indent(4);
        String guide = Files.readString(Path.of(System.getProperty("verbena.home"), "docs/guide/diagnosis.md"));
        assertTrue(guide.contains(shown), () -> "the guide shows something else than\n" + shown);
        assertEquals(map.toSvg("feeds of worker:0"), Files.readString(file));
    }

    @Test
    void itIsThatOfTheArena() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 << 20, 4 << 20)) {
            long small = arena.allocateAddress(1000);
            long large = arena.allocateAddress(1 << 20);
            RegionMap map = RegionMap.of(arena);
            assertEquals(4 << 20, map.byteSize());
            assertEquals(1024 + (1 << 20), map.liveByteSize());
            assertEquals(arena.statistics().largestFreeRunByteSize(), map.largestFreeRunByteSize());
            arena.freeAddress(small);
            arena.freeAddress(large);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 4097})
    void widthsThatMakeNoSenseAreRefused(int width) {
        assertThrows(IllegalArgumentException.class, () -> example().toText(width));
    }

    @ParameterizedTest
    @CsvSource({"0, 0 bytes", "1023, 1023 bytes", "1024, 1 KiB", "1536, 1.5 KiB", "1073741824, 1 GiB",
            "9223372036854775807, 8 EiB"})
    void bytesAreReadable(long byteSize, String text) {
        assertEquals(text, ByteCount.text(byteSize));
    }
}
