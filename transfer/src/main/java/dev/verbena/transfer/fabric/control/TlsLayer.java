package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayDeque;
import java.util.Deque;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * TLS 1.3 over a non-blocking socket. Both sides show a certificate, which the other's trust managers judge. What is sent before the two know each
 * other waits until they do.
 *
 * <pre>
 *   channel ── incoming ──► unwrap ──► read          write ──► (waiting until it is secure) ──► wrap ──► channel
 * </pre>
 *
 * <p><b>Owner:</b> the {@link ControlSocket}. <b>Threading:</b> thread-safe. Certificates are judged on the thread that reads.
 */
final class TlsLayer {
    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();
    /** Nobody says more than that before the two know each other. */
    private static final int WAITING_MAX = 4;
    static final String BOTH = "; give both sides NetworkOptions.withTls, or neither";

    /** The other side speaks in clear, and can hear why that is refused. */
    static final class PlainTextException extends IOException {
        private static final long serialVersionUID = 1L;

        private PlainTextException() {
            super("one side speaks TLS, the other plain text" + BOTH);
        }
    }

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final Deque<ByteBuffer> waiting = new ArrayDeque<>();
    private final ByteBuffer outgoing;
    /** To be filled. */
    private ByteBuffer incoming;
    private boolean hasHeard;
    private boolean isSecure;
    private boolean isInboundDone;

    /** Who connects begins by {@link #start}. */
    TlsLayer(SocketChannel channel, SSLContext context, boolean isClient) {
        this.channel = channel;
        engine = context.createSSLEngine();
        engine.setUseClientMode(isClient);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        if (!isClient) {
            parameters.setNeedClientAuth(true);
        }
        engine.setSSLParameters(parameters);
        incoming = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        outgoing = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    }

    synchronized void start() throws IOException {
        engine.beginHandshake();
        advance(NOTHING);
    }

    /**
     * What has come, in clear; empty if there is nothing yet.
     *
     * @return null if the other side has ended its half
     * @throws IOException if one does not trust the other; the message says why
     */
    synchronized ByteBuffer read() throws IOException {
        int count = channel.read(incoming);
        ByteBuffer clear = ByteBuffer.allocate(engine.getSession().getApplicationBufferSize());
        incoming.flip();
        try {
            checkNotPlain();
            clear = advance(clear);
        } finally {
            incoming.compact();
        }
        clear.flip();
        return clear.hasRemaining() || count >= 0 && !isInboundDone ? clear : null;
    }

    private void checkNotPlain() throws IOException {
        if (!hasHeard && incoming.hasRemaining()) {
            hasHeard = true;
            if (incoming.get(0) == (byte) (Frame.MAGIC >>> 24)) {
                throw new PlainTextException();
            }
        }
    }

    /** Goes on as far as it can with what has come. @return where that is in clear, which may be another buffer */
    private ByteBuffer advance(ByteBuffer clear) throws IOException {
        try {
            ByteBuffer target = clear;
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> engine.getDelegatedTask().run();
                    case NEED_WRAP -> {
                        if (!wrap(NOTHING)) {
                            return target;
                        }
                    }
                    default -> {
                        if (isInboundDone || !incoming.hasRemaining() || target == NOTHING) {
                            return target;
                        }
                        SSLEngineResult result = engine.unwrap(incoming, target);
                        note(result);
                        switch (result.getStatus()) {
                            case BUFFER_UNDERFLOW -> {
                                return target;
                            }
                            case BUFFER_OVERFLOW -> target = ByteBuffer
                                    .allocate(target.position() + engine.getSession().getApplicationBufferSize())
                                    .put(target.flip());
                            case CLOSED -> isInboundDone = true;
                            case OK -> {
                            }
                        }
                    }
                }
            }
        } catch (SSLException e) {
            sayAlert();
            throw new IOException(inWords(e), e);
        }
    }

    private void note(SSLEngineResult result) throws IOException {
        if (result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED && !isSecure) {
            isSecure = true;
            for (ByteBuffer each = waiting.poll(); each != null; each = waiting.poll()) {
                encrypt(each);
            }
        }
    }

    /** @throws IOException if the other side does not take it */
    synchronized void write(ByteBuffer clear) throws IOException {
        if (isSecure) {
            encrypt(clear);
        } else if (waiting.size() == WAITING_MAX) {
            throw new IOException("the peer does not read");
        } else {
            waiting.add(ByteBuffer.allocate(clear.remaining()).put(clear).flip());
        }
    }

    private void encrypt(ByteBuffer clear) throws IOException {
        while (clear.hasRemaining()) {
            if (!wrap(clear)) {
                throw new IOException("the TLS connection is closed");
            }
        }
    }

    /** @return whether there may be more to come */
    private boolean wrap(ByteBuffer clear) throws IOException {
        outgoing.clear();
        SSLEngineResult result = engine.wrap(clear, outgoing);
        outgoing.flip();
        channel.write(outgoing);
        if (outgoing.hasRemaining()) {
            throw new IOException("the peer does not read");
        }
        note(result);
        return result.getStatus() == SSLEngineResult.Status.OK;
    }

    /** Why the other side is not let in, in TLS's own words. */
    private void sayAlert() {
        try {
            while (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_WRAP && wrap(NOTHING)) {
                continue;
            }
        } catch (IOException _) {
            return; // then it will not be told
        }
    }

    /** Nothing more is sent. */
    synchronized void hangUp() throws IOException {
        engine.closeOutbound();
        sayAlert();
    }

    private static String inWords(SSLException e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            String what = switch (cause) {
                case CertificateExpiredException _ -> "its certificate has expired";
                case CertificateNotYetValidException _ -> "its certificate is not valid yet; compare the clocks";
                default -> null;
            };
            if (what != null) {
                return "TLS: " + what + ": " + cause.getMessage();
            }
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathBuilderException || cause instanceof CertPathValidatorException) {
                return "TLS: its certificate is not trusted by this side: " + cause.getMessage()
                        + "; look at the trust store";
            }
        }
        String message = String.valueOf(e.getMessage());
        return message.contains("Received fatal alert")
                ? "TLS: the other side does not accept this side's certificate: " + message
                : "TLS: " + message;
    }
}
