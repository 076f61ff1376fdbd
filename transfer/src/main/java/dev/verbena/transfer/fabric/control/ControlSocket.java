package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

import javax.net.ssl.SSLContext;

import jdk.net.ExtendedSocketOptions;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A non-blocking socket that carries {@link Frame}s. Its end tells that the peer is gone, and that is its main use.
 *
 * <p><b>Owner:</b> the connection. <b>Threading:</b> frames are read by one thread at a time; sending and closing are
 * thread-safe.
 */
public final class ControlSocket implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlSocket.class);

    private static final int PROBE_AFTER_SECONDS = 1;
    private static final int PROBE_EVERY_SECONDS = 1;
    /** A host that has not answered so many in a row is gone: after 4 seconds. */
    private static final int PROBES_MAX = 3;

    private final SocketChannel channel;
    private final Runnable onClose;
    /** Null where what is said goes in clear. */
    private volatile TlsLayer tls;
    private ByteBuffer received = ByteBuffer.allocate(4096).flip();

    private ControlSocket(SocketChannel channel, Runnable onClose) {
        this.channel = channel;
        this.onClose = onClose;
    }

    /**
     * Takes the channel over, connected or not, and closes it if it cannot be used.
     *
     * @param onClose run after closing; a selector must notice before the file descriptor is really free
     */
    static ControlSocket over(SocketChannel channel, Runnable onClose) throws IOException {
        try {
            prepare(channel);
            return new ControlSocket(channel, onClose);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static void prepare(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        // A process that dies closes its sockets; a host that dies says nothing, so it is asked.
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, PROBE_AFTER_SECONDS);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, PROBE_EVERY_SECONDS);
        channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES_MAX);
    }

    /**
     * What is sent and received from now on is TLS; sent before the two sides know each other, it waits until they do. The channel is connected.
     *
     * @param context null to go on in clear
     */
    void secure(SSLContext context, boolean isClient) throws IOException {
        if (context != null) {
            tls = new TlsLayer(channel, context, isClient);
            if (isClient) {
                tls.start();
            }
        }
    }

    public SocketChannel channel() {
        return channel;
    }

    /** Of the peer's end. */
    public InetSocketAddress remoteAddress() throws IOException {
        return (InetSocketAddress) channel.getRemoteAddress();
    }

    public String remoteHost() throws IOException {
        return remoteAddress().getAddress().getHostAddress();
    }

    /** Reads what has come. @return false if the peer has closed. @throws IOException also if one side does not trust the other */
    public boolean receive() throws IOException {
        return tls == null ? receiveClear() : receiveSecure();
    }

    private boolean receiveSecure() throws IOException {
        try {
            ByteBuffer clear = tls.read();
            if (clear != null && clear.hasRemaining()) {
                received = ByteBuffer.allocate(received.remaining() + clear.remaining()).put(received).put(clear)
                        .flip();
            }
            return clear != null;
        } catch (TlsLayer.PlainTextException e) {
            // So that the other side can be told in a language that it understands.
            tls = null;
            throw e;
        }
    }

    private boolean receiveClear() throws IOException {
        int byteSizeMax = Frame.HEADER_BYTE_SIZE + Frame.PAYLOAD_BYTE_SIZE_MAX;
        received.compact();
        if (!received.hasRemaining() && received.capacity() < byteSizeMax) {
            received = ByteBuffer.allocate(byteSizeMax).put(received.flip());
        }
        int count = channel.read(received);
        received.flip();
        return count >= 0;
    }

    /** @return the next frame of what was received, or null if it is not complete */
    public Frame next() throws ProtocolException {
        return Frame.decode(received);
    }

    /** Forgets what was received. */
    void discard() {
        received.limit(0);
    }

    /** Nothing more is sent, which the peer sees; what it says still comes. */
    void hangUp() {
        try {
            TlsLayer layer = tls;
            if (layer != null) {
                layer.hangUp();
            }
            channel.shutdownOutput();
        } catch (IOException e) {
            LOGGER.trace("it is of no use any more either way", e);
        }
    }

    /** Frames are so few and small that they always fit the socket's buffer; a peer that does not take them is not one. */
    public synchronized void send(Frame.Type type, ByteBuffer payload) throws IOException {
        ByteBuffer frame = Frame.encode(type, payload);
        TlsLayer layer = tls;
        if (layer != null) {
            layer.write(frame);
            return;
        }
        channel.write(frame);
        if (frame.hasRemaining()) {
            throw new IOException("the peer does not read");
        }
    }

    public void send(Frame.Type type) throws IOException {
        send(type, ByteBuffer.allocate(0));
    }

    void sendRefusal(String reason) throws IOException {
        byte[] bytes = reason.getBytes(StandardCharsets.UTF_8);
        send(Frame.Type.REFUSE, ByteBuffer.wrap(bytes, 0, Math.min(bytes.length, 4096)));
    }

    static String refusal(Frame frame) {
        return StandardCharsets.UTF_8.decode(frame.payload()).toString().replaceAll("\\p{Cntrl}", " ");
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOGGER.trace("it is of no use any more either way", e);
        }
        onClose.run();
    }
}
