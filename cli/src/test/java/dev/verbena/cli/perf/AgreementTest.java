package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.cli.BadInputException;

/** The two sides do the same test, or say what they differ in. */
@Timeout(60)
class AgreementTest {
    @ParameterizedTest
    @CsvSource({"write_bw, read_bw, write_bw, read_bw", "write_bw -s 64, write_bw -s 128, 64, 128",
            "write_bw -n 10, write_bw -n 20, 10, 20", "write_bw -a, write_bw -s 2, all, 2",
            "write_bw -q 2, write_bw -q 3, 2, 3", "write_bw -D 2, write_bw -n 9, 2 seconds, 9"})
    void bothSidesAreTold(String server, String client, String ofServer, String ofClient) throws Exception {
        try (PerfPair pair = new PerfPair(server.split(" "), client.split(" "))) {
            Future<Conversation> serving = pair.start(pair.server::begin);
            Future<Conversation> asking = pair.start(pair.client::begin);
            assertDiffers(serving, ofServer, ofClient);
            assertDiffers(asking, ofClient, ofServer);
        }
    }

    private static void assertDiffers(Future<Conversation> side, String mine, String theirs) {
        String message = assertThrows(BadInputException.class, () -> PerfPair.await(side)).getMessage();
        assertTrue(message.contains(" is " + mine + " here and " + theirs + " at the peer"), message);
    }

    @Test
    void anotherVersionIsNamed() {
        long[] words = new Agreement(PerfTest.SEND_BW, 1, 2, 3, 4, 5, 6).toWords();
        assertEquals(new Agreement(PerfTest.SEND_BW, 1, 2, 3, 4, 5, 6), Agreement.of(words));
        words[0]++;
        assertTrue(assertThrows(BadInputException.class, () -> Agreement.of(words)).getMessage()
                .contains("another version"));
        words[0]--;
        words[1] = PerfTest.values().length;
        assertThrows(BadInputException.class, () -> Agreement.of(words));
    }
}
