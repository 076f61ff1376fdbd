package dev.verbena.cli.infer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

class OutputDifferenceTest {
    @Test
    void floatsSayHowFarTheyAreApart() {
        byte[] expected = bytes(1, -20, 3);
        assertEquals(Optional.empty(),
                OutputDifference.between(bytes(1, -20, 3), expected, ElementType.FLOAT32));
        assertEquals("by at most 0.25, where the largest element is 20", apart(bytes(1, -20.125f, 3.25f), expected));
        // The sign of 0, and what is no number.
        assertEquals("by at most 0.0, where the largest element is 0.0", apart(bytes(-0.0f), bytes(0)));
        assertEquals("by at most NaN, where the largest element is 1.0", apart(bytes(Float.NaN), bytes(1)));
    }

    @Test
    void othersSayWhere() {
        assertEquals(Optional.of("first in byte 1"),
                OutputDifference.between(new byte[]{1, 2}, new byte[]{1, 3}, ElementType.INT16));
        assertEquals(Optional.of("first in byte 2"),
                OutputDifference.between(new byte[]{1, 2}, new byte[]{1, 2, 0, 0}, ElementType.FLOAT32));
    }

    private static String apart(byte[] computed, byte[] expected) {
        String said = OutputDifference.between(computed, expected, ElementType.FLOAT32).orElseThrow();
        assertEquals("first in byte " + Arrays.mismatch(computed, expected), said.substring(0, said.indexOf(',')));
        return said.substring(said.indexOf(',') + 2);
    }

    private static byte[] bytes(float... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Float.BYTES).order(ByteOrder.nativeOrder());
        for (float number : numbers) {
            bytes.putFloat(number);
        }
        return bytes.array();
    }
}
