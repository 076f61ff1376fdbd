package dev.verbena.transfer.fabric.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;

import dev.verbena.transfer.PeerSecret;

/**
 * How two sides show each other in a handshake that they know the secret, without saying it. Each has a nonce of its own signed, so that
 * nothing that was said in another handshake is of use; its role, so that it cannot be given its own answer; and all that was said so far, so
 * that nobody changes it.
 *
 * <pre>
 *   who connects                                    who accepts
 *   KNOCK      nonce                  ────────────►
 *              ◄────────────  CHALLENGE             nonce
 *   HELLO      hello, proof           ────────────►  believes hello
 *   believes welcome  ◄─────  WELCOME               welcome, proof
 *
 *   proof   = HMAC-SHA-256(secret, role, transcript, what it stands behind)
 *   transcript = both nonces; for the second proof HELLO's length and payload too
 * </pre>
 *
 * <p>Without a secret there are neither KNOCK and CHALLENGE nor proofs.
 *
 * <p><b>Owner:</b> the handshake. <b>Threading:</b> confined to it.
 */
final class Authentication {
    static final int NONCE_BYTE_SIZE = 32;
    static final int PROOF_BYTE_SIZE = 32;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String ROLE = "Verbena handshake " + Frame.VERSION + ", ";
    private static final byte[] CONNECTS = (ROLE + "connects").getBytes(StandardCharsets.US_ASCII);
    private static final byte[] ACCEPTS = (ROLE + "accepts ").getBytes(StandardCharsets.US_ASCII);

    private final PeerSecret secret;
    private ByteBuffer transcript = ByteBuffer.allocate(0);

    /** @param secret null for none */
    Authentication(PeerSecret secret) {
        this.secret = secret;
    }

    boolean isWanted() {
        return secret != null;
    }

    // ---- who connects ----

    ByteBuffer knock() {
        return addNonce();
    }

    void onChallenge(ByteBuffer nonce) throws ProtocolException {
        addPeersNonce(nonce);
    }

    ByteBuffer signHello(ByteBuffer hello) {
        return signed(CONNECTS, hello);
    }

    /** @return what is believed from now on. @throws ProtocolException if the other does not know the secret */
    ByteBuffer openWelcome(ByteBuffer signed) throws ProtocolException {
        return opened(ACCEPTS, signed);
    }

    // ---- who accepts ----

    /** @return the challenge */
    ByteBuffer onKnock(ByteBuffer nonce) throws ProtocolException {
        addPeersNonce(nonce);
        return addNonce();
    }

    /** @return what is believed from now on. @throws ProtocolException if the other does not know the secret */
    ByteBuffer openHello(ByteBuffer signed) throws ProtocolException {
        return opened(CONNECTS, signed);
    }

    ByteBuffer signWelcome(ByteBuffer welcome) {
        return signed(ACCEPTS, welcome);
    }

    // ---- both ----

    private ByteBuffer addNonce() {
        byte[] nonce = new byte[NONCE_BYTE_SIZE];
        RANDOM.nextBytes(nonce);
        add(ByteBuffer.wrap(nonce));
        return ByteBuffer.wrap(nonce);
    }

    private void addPeersNonce(ByteBuffer nonce) throws ProtocolException {
        if (nonce.remaining() != NONCE_BYTE_SIZE) {
            throw new ProtocolException("malformed handshake: a nonce of " + nonce.remaining() + " bytes");
        }
        add(nonce);
    }

    private void add(ByteBuffer said) {
        transcript = ByteBuffer.allocate(transcript.remaining() + said.remaining()).put(transcript)
                .put(said.duplicate()).flip();
    }

    private ByteBuffer signed(byte[] role, ByteBuffer payload) {
        if (secret == null) {
            return payload;
        }
        byte[] proof = proof(role, payload);
        addPayload(payload);
        return ByteBuffer.allocate(payload.remaining() + PROOF_BYTE_SIZE).put(payload.duplicate()).put(proof).flip();
    }

    private ByteBuffer opened(byte[] role, ByteBuffer signed) throws ProtocolException {
        if (secret == null) {
            return signed;
        }
        int byteSize = signed.remaining() - PROOF_BYTE_SIZE;
        if (byteSize < 0) {
            throw new ProtocolException("it does not prove that it knows the secret");
        }
        byte[] shown = new byte[PROOF_BYTE_SIZE];
        signed.get(signed.position() + byteSize, shown);
        ByteBuffer payload = signed.slice(signed.position(), byteSize);
        // Takes as long whichever byte is wrong.
        if (!MessageDigest.isEqual(shown, proof(role, payload))) {
            throw new ProtocolException("the two sides have different secrets");
        }
        addPayload(payload);
        return payload;
    }

    private byte[] proof(byte[] role, ByteBuffer payload) {
        return secret.sign(ByteBuffer.wrap(role), transcript, payload);
    }

    private void addPayload(ByteBuffer payload) {
        add(ByteBuffer.allocate(Integer.BYTES).putInt(payload.remaining()).flip());
        add(payload);
    }
}
