package dev.verbena.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;

class DimensionTest {
    private static final Dimension N = Dimension.symbol("N");
    private static final Dimension M = Dimension.symbol("M");

    @Test
    void equalSumsAreEqualHoweverTheyCameAbout() {
        assertEquals(N.plus(M).times(N), N.times(N).plus(N.times(M)));
        assertEquals(N, N.times(of(12)).dividedBy(of(12)));
        assertEquals(N.plus(2), N.plus(3).plus(-1));
        assertEquals(of(0), N.minus(N));
        assertEquals(of(12), N.times(M).times(of(12)).dividedBy(M.times(N)));
        assertNotEquals(N, M);
        assertNotEquals(N, Dimension.unknown("N", "of another kind"));
    }

    @Test
    void textSaysWhatItIs() {
        assertEquals("2*N*M - 3".replace("N*M", "M*N"), N.times(M).times(of(2)).plus(-3).toString());
        assertEquals("quotient(N + 1, 2)", N.dividedUpBy(of(2)).toString());
        assertEquals("N + quotient(M, 2)", N.times(of(2)).plus(M).dividedBy(of(2)).toString());
        assertEquals("max(N - 1, 0)", N.plus(-1).max(of(0)).toString());
        assertEquals("-N + 5", of(5).minus(N).toString());
    }

    @Test
    void quotientsAreRounded() {
        assertEquals(of(-4), of(-7).dividedBy(of(2)));
        assertEquals(of(-3), of(-7).dividedUpBy(of(2)));
        assertEquals(of(4), of(7).dividedUpBy(of(2)));
        assertEquals(Optional.empty(), N.plus(1).dividedExactlyBy(N));
        assertThrows(ArithmeticException.class, () -> N.dividedBy(of(0)));
        for (long n = 0; n < 10; n++) {
            Map<String, Long> numbers = Map.of("N", n);
            assertEquals(of(Math.ceilDiv(n, 3)), N.dividedUpBy(of(3)).bind(numbers));
            assertEquals(of(Math.floorDiv(4 * n + 5, 3)), N.times(of(4)).plus(5).dividedBy(of(3)).bind(numbers));
            assertEquals(of(Math.max(n - 3, 0)), N.plus(-3).max(of(0)).bind(numbers));
            assertEquals(of(Math.min(n, 4)), N.min(of(4)).bind(numbers));
        }
    }

    @Test
    void orderIsToldWhereItIsKnown() {
        assertEquals(Optional.of(true), N.isLessThan(N.plus(1)));
        assertEquals(Optional.of(false), N.isLessThan(N));
        assertEquals(Optional.of(false), N.isLessThan(of(0)));
        assertEquals(Optional.empty(), N.isLessThan(M));
        assertEquals(Optional.empty(), N.isLessThan(of(2)));
        assertEquals(N, N.max(of(0)));
        assertEquals(N.plus(1), N.max(N.plus(1)));
        assertTrue(of(-1).minus(N).isNegative());
        assertFalse(N.plus(-1).isNegative());
        assertFalse(N.plus(-1).isNeverNegative());
        assertTrue(N.plus(-1).max(of(0)).isNeverNegative());
        assertTrue(N.differsFrom(N.plus(1)));
        assertFalse(N.differsFrom(M));
    }

    @Test
    void broadcasting() {
        assertEquals(Optional.of(N), N.broadcastWith(of(1)));
        assertEquals(Optional.of(of(0)), of(0).broadcastWith(of(1)));
        assertEquals(Optional.of(of(5)), N.broadcastWith(of(5)));
        assertEquals(Optional.empty(), of(3).broadcastWith(of(5)));
        assertEquals(N.broadcastWith(M), M.broadcastWith(N));
        Dimension both = N.broadcastWith(M).get();
        assertEquals(of(7), both.bind(Map.of("N", 1L, "M", 7L)));
        assertThrows(ArithmeticException.class, () -> both.bind(Map.of("N", 3L, "M", 7L)));
    }

    @Test
    void whatIsUnknownSaysWhy() {
        Dimension count = Dimension.unknown("found[0]", "only a run can tell").times(of(2));
        assertTrue(count.isUnknown());
        assertEquals(Optional.of("only a run can tell"), count.plus(N).reason());
        assertEquals(Set.of("N", "found[0]"), count.plus(N).symbols());
        assertFalse(N.isUnknown());
        assertEquals(of(10), count.bind(Map.of("found[0]", 5L)));
    }

    @Test
    void whatIsAnonymousEqualsNothingElse() {
        Dimension one = Dimension.unknown("?", "the file does not say");
        Dimension other = Dimension.unknown("?", "the file does not say");
        assertEquals(of(0), one.minus(one));
        assertFalse(one.minus(other).isKnown());
        assertEquals("? + ?", one.plus(other).toString());
        assertEquals(one.times(other), other.times(one));
        assertNotEquals(one.plus(1), other.plus(1));
        assertFalse(one.plus(1).differsFrom(other));
        assertEquals("min(?, ?)", one.min(other).toString());
        assertEquals(Optional.empty(), one.isLessThan(other));
        assertEquals(one.plus(other), one.plus(other).plus(1).plus(-1));
    }

    /** The model's own N is not what a run finds and calls so. */
    @Test
    void whatIsOpenAndWhatIsUnknownDifferWhateverTheirNames() {
        Dimension unknown = Dimension.unknown("N", "only a run can tell");
        assertFalse(N.minus(unknown).isKnown());
        assertNotEquals(N.plus(1), unknown.plus(1));
        assertEquals(N.times(unknown), unknown.times(N));
    }

    @Test
    void longExpressionsAreGivenUp() {
        Dimension sum = N;
        for (int i = 0; i < 100; i++) {
            sum = sum.times(sum).plus(M).dividedBy(of(7));
        }
        assertTrue(sum.isUnknown());
        assertTrue(sum.toString().length() < 1000, sum::toString);
        assertNotEquals(sum.minus(N), sum.times(N).times(N));
        assertFalse(sum.isNeverNegative());
    }

    @Test
    void whatIsTooLargeIsSaid() {
        assertThrows(ArithmeticException.class, () -> of(1L << 62).times(of(4)));
        assertThrows(ArithmeticException.class, () -> N.times(of(1L << 62)).times(of(4)));
        assertThrows(IllegalArgumentException.class, () -> SymbolicShape.of(-1));
        assertThrows(IllegalArgumentException.class, () -> SymbolicShape.of(new long[17]));
    }

    private static Dimension of(long size) {
        return Dimension.of(size);
    }
}
