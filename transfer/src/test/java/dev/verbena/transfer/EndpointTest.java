package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
    @Test
    void readsWhatItWrites() {
        Endpoint endpoint = new Endpoint("127.0.0.1", 4001);
        assertEquals(endpoint, Endpoint.parse(endpoint.toString()));
        assertEquals(new Endpoint("::1", 0), Endpoint.parse("::1:0"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "host", ":1", "host:", "host:x", "host:-1", "host:65536"})
    void refusesWhatIsNone(String text) {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> Endpoint.parse(text));
        assertTrue(e.getMessage().contains("HOST:PORT"), e.getMessage());
    }
}
