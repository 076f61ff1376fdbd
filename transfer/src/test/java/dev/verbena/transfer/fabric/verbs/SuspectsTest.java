package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

class SuspectsTest {
    private static final Suspects.Suspect WRITE = new Suspects.Suspect(new FailedRequest(1,
            CompletionStatus.WORK_REQUEST_FLUSHED, Opcode.WRITE, 5L << 30, -8, -2), 0);
    private static final Suspects.Suspect SEND = new Suspects.Suspect(
            new FailedRequest(1, CompletionStatus.WORK_REQUEST_FLUSHED, Opcode.SEND, 16, 0, 0), -1);

    @Test
    void whatIsAskedIsUnderstood() throws ProtocolException {
        for (List<Suspects.Suspect> all : List.of(List.<Suspects.Suspect>of(), List.of(WRITE, SEND))) {
            assertEquals(new Suspects(1, all), Suspects.decode(new Suspects(1, all).encode(), 2));
        }
    }

    @Test
    void asManyAsThereMayBeFitIntoAFrame() {
        Suspects most = new Suspects(0, Collections.nCopies(Suspects.COUNT_MAX, SEND));
        assertTrue(most.encode().remaining() <= Frame.PAYLOAD_BYTE_SIZE_MAX);
    }

    @Test
    void nonsenseIsRefused() {
        ByteBuffer whole = new Suspects(1, List.of(WRITE)).encode();
        assertThrows(ProtocolException.class, () -> Suspects.decode(whole.duplicate(), 1));
        assertThrows(ProtocolException.class,
                () -> Suspects.decode(whole.duplicate().limit(whole.limit() - 1), 2));
        assertThrows(ProtocolException.class, () -> Suspects.decode(ByteBuffer.allocate(0), 2));
        assertThrows(ProtocolException.class,
                () -> Suspects.decode(whole.duplicate().putShort(Integer.BYTES, (short) 99), 2));
    }

    @Test
    void verdictsAreUnderstoodToo() throws ProtocolException {
        for (Verdict verdict : List.of(Verdict.own(1, "out of coffee"), Verdict.nothing(1),
                new Verdict(1, 7, CompletionStatus.REMOTE_ACCESS_ERROR, "no such region"))) {
            assertEquals(verdict, Verdict.decode(verdict.encode(), 2));
        }
        ByteBuffer strange = new Verdict(1, Suspects.COUNT_MAX, CompletionStatus.SUCCESS, "x").encode();
        assertThrows(ProtocolException.class, () -> Verdict.decode(strange, 2));
    }
}
