package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.cli.BadInputException;

class SizesTest {
    private static final long MAX = 1L << 40;

    @Test
    void rangesAndLists() {
        assertEquals(List.of(8L, 16L, 32L, 64L), Sizes.parse("8..64", 8, MAX));
        assertEquals(List.of(8L, 64L, 512L), Sizes.parse("8..1K:8", 8, MAX));
        assertEquals(List.of(1L << 30), Sizes.parse("1g..1G", 8, MAX));
        assertEquals(List.of(100L, 200L), Sizes.parse("100..300", 8, MAX));
        assertEquals(List.of(64L, 4096L, 1L << 20, 3L << 30), Sizes.parse("64, 4k,1M,3G", 8, MAX));
        assertEquals(List.of(1L << 40), Sizes.parse("1024G..1024G:999999", 8, MAX));
        assertEquals(28, Sizes.parse("8..1G", 8, MAX).size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "8..", "..8", "64..8", "7", "8..7", "8..64:1", "8..64:0", "8..64:9999999", "8..64:x",
            "x", "8,,9", "8K5",
            "2048G",
            "99999999999999G", "-8", "1T"})
    void refused(String text) {
        String message = assertThrows(BadInputException.class, () -> Sizes.parse(text, 8, MAX)).getMessage();
        assertTrue(message.startsWith("--sizes=" + text + ": ") && message.contains("; give a range such as "),
                message);
    }
}
