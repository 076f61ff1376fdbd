package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.PeerSecret;

class AuthenticationTest {
    private static final ByteBuffer HELLO = text("hello of who connects");
    private static final ByteBuffer WELCOME = text("welcome");

    private final Authentication connecting = new Authentication(secret('a'));
    private final Authentication accepting = new Authentication(secret('a'));

    private static PeerSecret secret(char filler) {
        return PeerSecret.of(("0123456789abcde" + filler).getBytes(StandardCharsets.US_ASCII));
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void challenge(Authentication connecting, Authentication accepting) throws ProtocolException {
        connecting.onChallenge(accepting.onKnock(connecting.knock()));
    }

    private static ByteBuffer changed(ByteBuffer bytes, int at) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
        return copy.put(at, (byte) (copy.get(at) ^ 1));
    }

    private static void assertRefused(Authentication accepting, ByteBuffer hello) {
        String message = assertThrows(ProtocolException.class, () -> accepting.openHello(hello)).getMessage();
        assertTrue(message.contains("secret"), message);
    }

    @Test
    void whoKnowTheSecretBelieveEachOther() throws ProtocolException {
        challenge(connecting, accepting);
        assertEquals(HELLO, accepting.openHello(connecting.signHello(HELLO)));
        assertEquals(WELCOME, connecting.openWelcome(accepting.signWelcome(WELCOME)));
    }

    @Test
    void withoutASecretNothingIsAdded() throws ProtocolException {
        Authentication none = new Authentication(null);
        assertFalse(none.isWanted());
        assertEquals(HELLO, none.signHello(HELLO));
        assertEquals(HELLO, none.openHello(HELLO));
    }

    @Test
    void anotherSecretIsRefusedByEitherSide() throws ProtocolException {
        Authentication stranger = new Authentication(secret('b'));
        challenge(stranger, accepting);
        assertRefused(accepting, stranger.signHello(HELLO));
        Authentication impostor = new Authentication(secret('b'));
        challenge(connecting, impostor);
        connecting.signHello(HELLO);
        assertThrows(ProtocolException.class, () -> connecting.openWelcome(impostor.signWelcome(WELCOME)));
    }

    /** Of the hello and of its proof. */
    @Test
    void aChangeOfAnyByteIsSeen() throws ProtocolException {
        challenge(connecting, accepting);
        ByteBuffer signed = connecting.signHello(HELLO);
        for (int i = 0; i < signed.remaining(); i++) {
            assertRefused(accepting, changed(signed, i));
        }
        for (int byteSize = 0; byteSize < signed.remaining(); byteSize++) {
            assertRefused(accepting, signed.slice(0, byteSize));
        }
        assertEquals(HELLO, accepting.openHello(signed), "and the good one is still good");
    }

    @Test
    void aProofIsOfNoUseInAnotherHandshake() throws ProtocolException {
        challenge(connecting, accepting);
        ByteBuffer signed = connecting.signHello(HELLO);
        Authentication next = new Authentication(secret('a'));
        // Who repeats what it has heard repeats the nonce too; the other's is new.
        next.onKnock(connecting.knock());
        assertRefused(next, signed);
    }

    @Test
    void aProofIsOfNoUseInTheOtherRole() throws ProtocolException {
        challenge(connecting, accepting);
        ByteBuffer own = connecting.signHello(HELLO);
        assertThrows(ProtocolException.class, () -> connecting.openWelcome(own));
    }

    /** The second proof stands behind what the first side said too. */
    @Test
    void aWelcomeThatAnswersAnotherHelloIsRefused() throws ProtocolException {
        challenge(connecting, accepting);
        connecting.signHello(text("another hello"));
        Authentication sameNonces = accepting;
        sameNonces.signHello(HELLO);
        assertThrows(ProtocolException.class, () -> connecting.openWelcome(sameNonces.signWelcome(WELCOME)));
    }

    @Test
    void noncesDifferAndHaveTheirSize() throws ProtocolException {
        assertNotEquals(connecting.knock(), accepting.knock());
        for (int byteSize : new int[]{0, 31, 33}) {
            assertThrows(ProtocolException.class, () -> accepting.onKnock(ByteBuffer.allocate(byteSize)));
            assertThrows(ProtocolException.class, () -> connecting.onChallenge(ByteBuffer.allocate(byteSize)));
        }
    }
}
