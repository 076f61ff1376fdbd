package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Holdings;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.QueuePairAddress;

/**
 * Whatever a peer says over the control socket is a frame or a {@link ProtocolException}, and reading it leaves nothing; {@code -Dverbena.malformed=1000000}
 * says more.
 */
class MalformedFramesTest {
    private static final int COUNT = Integer.getInteger("verbena.malformed", 100_000);
    private static final int QUEUE_PAIRS = 3;
    private static final FailedRequest REQUEST = new FailedRequest(1, CompletionStatus.REMOTE_ACCESS_ERROR,
            Opcode.WRITE,
            5, 6, 7);

    /** What reads a frame. */
    private interface Decoder {
        void decode(ByteBuffer payload) throws ProtocolException;
    }

    /** Changed, cut and lengthened at random; some of it stays good. */
    private static void mutate(ByteBuffer payload, Decoder decoder) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] good = new byte[payload.remaining()];
        payload.get(good);
        int refused = 0;
        Holdings before = Holdings.now();
        for (int i = 0; i < COUNT; i++) {
            byte[] bytes = random.nextInt(4) == 0 ? Arrays.copyOf(good, random.nextInt(good.length + 8)) : good.clone();
            for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                decoder.decode(ByteBuffer.wrap(bytes));
            } catch (ProtocolException e) {
                refused++;
            } catch (Throwable e) {
                throw new AssertionError("seed=" + seed + " payload=" + Arrays.toString(bytes), e);
            }
        }
        assertTrue(refused > 0 && refused < COUNT, "seed=" + seed + " refused=" + refused + " of " + COUNT);
        before.assertNothingMore("seed=" + seed);
    }

    @Test
    void hellosAreReadOrRefused() {
        VerbsHello.PairAddress pair = new VerbsHello.PairAddress(
                new QueuePairAddress(17, 0xff_ffff, new Gid(1, 2), 3, 1024, 128), new CreditAddress(4096, 5));
        VerbsHello.Connect connect = new VerbsHello.Connect(true, new Endpoint("192.0.2.1", 4001), new CmToken(5, -6));
        mutate(new VerbsHello("ada", new Endpoint("192.0.2.1", 4000), Wire.FRAMED, connect,
                Collections.nCopies(QUEUE_PAIRS, pair)).encode(), VerbsHello::decode);
    }

    @Test
    void questionsAreReadOrRefused() {
        mutate(REQUEST.encode(), payload -> FailedRequest.decode(payload, QUEUE_PAIRS));
        mutate(new Suspects(1, List.of(new Suspects.Suspect(REQUEST, 8), new Suspects.Suspect(REQUEST, 9))).encode(),
                payload -> Suspects.decode(payload, QUEUE_PAIRS));
    }

    @Test
    void verdictsAreReadOrRefused() {
        mutate(new Verdict(1, 2, CompletionStatus.REMOTE_ACCESS_ERROR, "out of its region").encode(),
                payload -> Verdict.decode(payload, QUEUE_PAIRS));
    }
}
