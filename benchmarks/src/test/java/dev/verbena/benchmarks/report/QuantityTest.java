package dev.verbena.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource(quoteCharacter = '"',
            value = {"0,0", "1,1", "1.5,1.5", "0.2,0.2", "2.7004,2.70", "25.04,25.0", "213.4,213",
                    "0.01234,0.0123", "9.9996,10.0", "999.7,\"1,000\"", "10000,\"10,000\"", "12345.6,\"12,346\"",
                    "NaN,\"\""})
    void threeDigitsCountUnlessFewerSayAll(double value, String text) {
        assertEquals(text, Quantity.number(value));
    }

    @ParameterizedTest
    @CsvSource({"0.01, 10 ns", "0.9996, 1.00 µs", "1, 1 µs", "85.32, 85.3 µs", "999.7, 1.00 ms", "1000, 1 ms",
            "260928.55, 261 ms", "2.5e6, 2.5 s"})
    void timesHaveTheUnitThatSuitsThem(double microseconds, String text) {
        assertEquals(text, Quantity.time(microseconds));
    }
}
