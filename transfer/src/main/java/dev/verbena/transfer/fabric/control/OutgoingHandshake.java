package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The connecting side of a handshake ({@link IncomingHandshake} draws it); afterwards the connection watches the socket. Nobody waits for
 * it: it goes on when its socket, a timer or the connection itself has something to say.
 *
 * <p>A peer that is not there may be starting, or starting again, and nothing tells that from one that never will be: so it is looked for
 * until the deadline.
 *
 * <p><b>Owner:</b> the fabric. <b>Threading:</b> confined to the control thread.
 */
final class OutgoingHandshake implements ControlLoop.Watcher {
    private static final Logger LOGGER = LoggerFactory.getLogger(OutgoingHandshake.class);

    private static final long RETRY_NS_MIN = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long RETRY_NS_MAX = TimeUnit.MILLISECONDS.toNanos(200);

    enum State {
        /** Where the host of that name is, is asked. */
        RESOLVE("its name is not resolved"),
        /** The socket is being connected. */
        CONNECT("no answer"),
        /** Nobody listens there; it is tried again soon. */
        RETRY("nobody listens there"),
        /** It has said that the other must know the secret, and waits for the challenge: {@link Authentication}. */
        AWAIT_CHALLENGE("no answer to the handshake"),
        /** It has said who it is. */
        AWAIT_WELCOME("no answer to the handshake"),
        /** It was welcomed; its queue pairs have not reached the other's yet. */
        AWAIT_REACH("its queue pairs cannot be reached"),
        /** The connection is made and has taken over the socket. */
        CONNECTED(""),
        /** It came to nothing: refused, too late, or this side ends. Everything is released. */
        ENDED("");

        /** What has not come, when time is up. */
        private final String missing;

        State(String missing) {
            this.missing = missing;
        }

        boolean mayBecome(State next) {
            return switch (this) {
                case RESOLVE -> next == CONNECT || next == ENDED;
                case CONNECT -> next == RETRY || next == AWAIT_CHALLENGE || next == AWAIT_WELCOME || next == ENDED;
                case RETRY -> next == CONNECT || next == ENDED;
                case AWAIT_CHALLENGE -> next == AWAIT_WELCOME || next == ENDED;
                case AWAIT_WELCOME -> next == AWAIT_REACH || next == ENDED;
                case AWAIT_REACH -> next == CONNECTED || next == ENDED;
                case CONNECTED, ENDED -> false;
            };
        }

        private boolean isOver() {
            return this == CONNECTED || this == ENDED;
        }
    }

    /** What follows an event. */
    private interface Step {
        void take() throws IOException, ProtocolException;
    }

    private final ControlledFabric fabric;
    private final ControlLoop loop;
    private final Endpoint remote;
    private final List<QueuePairOptions> options;
    private final long timeoutNs;
    private final ConnectHandler handler;
    private final Authentication authentication;
    private final long startNs = System.nanoTime();
    /** When somebody listened there at last; the start, where that was at once. */
    private long foundNs = startNs;
    private State state = State.RESOLVE;
    private InetSocketAddress address;
    // Null while there is none.
    private ControlLoop.Timer deadline;
    private ControlLoop.Timer retry;
    private ControlSocket socket;
    private Negotiation negotiation;
    private ControlledConnection connection;

    OutgoingHandshake(ControlledFabric fabric, ControlLoop loop, Endpoint remote, List<QueuePairOptions> options,
            long timeoutNs, ConnectHandler handler) {
        this.fabric = fabric;
        this.loop = loop;
        this.remote = remote;
        this.options = options;
        this.timeoutNs = timeoutNs;
        this.handler = handler;
        authentication = fabric.authentication();
    }

    // ---- events ----

    void start() {
        deadline = loop.after(timeoutNs - (System.nanoTime() - startNs), this::onDeadline);
        step(this::resolve);
    }

    /** The fabric connects nobody any more. */
    void onRefusal() {
        end(fabric.refusal(), null);
    }

    private void onDeadline() {
        long nowNs = System.nanoTime();
        end(state.missing + " for " + TimeUnit.NANOSECONDS.toMillis(nowNs - foundNs) + " ms" + (foundNs == startNs ? ""
                : ", after " + TimeUnit.NANOSECONDS.toMillis(foundNs - startNs) + " ms until somebody listened there"),
                null);
    }

    @Override
    public void onReady() {
        step(state == State.CONNECT ? this::finishConnect : this::receive);
    }

    @Override
    public void onEnd() {
        end(fabric.isOpen() ? "internal error" : fabric.refusal(), null);
    }

    /** Whatever goes wrong in it is the end. */
    private void step(Step step) {
        if (state.isOver()) {
            return;
        }
        try {
            String refusal = fabric.refusal();
            if (refusal != null) {
                end(refusal, null);
            } else {
                step.take();
            }
        } catch (IOException e) {
            String refusal = refusal();
            end(refusal == null ? e.getMessage() : refusal, e);
        } catch (ProtocolException | RuntimeException e) {
            end(e.getMessage(), e);
        }
    }

    // ---- the socket ----

    private void resolve() throws IOException, ProtocolException {
        InetAddress literal;
        try {
            literal = InetAddress.ofLiteral(remote.host());
        } catch (IllegalArgumentException _) {
            Thread.ofPlatform().daemon().name("verbena-resolve-" + remote.host()).start(this::lookUp);
            return;
        }
        connectTo(literal);
    }

    /** On a thread of its own: one that answers late holds up nobody else. */
    private void lookUp() {
        try {
            InetAddress found = InetAddress.getByName(remote.host());
            loop.later(() -> step(() -> connectTo(found)));
        } catch (UnknownHostException e) {
            loop.later(() -> end("unknown host", e));
        }
    }

    private void connectTo(InetAddress host) throws IOException, ProtocolException {
        address = new InetSocketAddress(host, remote.port());
        connect();
    }

    private void connect() throws IOException, ProtocolException {
        move(State.CONNECT);
        socket = ControlSocket.over(SocketChannel.open(), loop::wakeup);
        try {
            if (socket.channel().connect(address)) {
                onFound();
            } else {
                loop.watch(socket.channel(), SelectionKey.OP_CONNECT, this);
            }
        } catch (ConnectException _) {
            retry();
        }
    }

    private void finishConnect() throws IOException, ProtocolException {
        try {
            if (socket.channel().finishConnect()) {
                onFound();
            }
        } catch (ConnectException _) {
            retry();
        }
    }

    /** Soon at first, and later the less often the longer it takes. */
    private void retry() {
        socket.close();
        socket = null;
        move(State.RETRY);
        long delayNs = Math.clamp((System.nanoTime() - startNs) / 8, RETRY_NS_MIN, RETRY_NS_MAX);
        retry = loop.after(delayNs, () -> step(this::connect));
    }

    private void onFound() throws IOException, ProtocolException {
        if (socket.channel().getLocalAddress().equals(socket.channel().getRemoteAddress())) {
            // Where nobody listens on a port that the system also gives out by itself, TCP may connect to itself.
            throw new ConnectException("connected to itself");
        }
        foundNs = retry == null ? startNs : System.nanoTime();
        socket.secure(fabric.tls(), true);
        loop.watch(socket.channel(), SelectionKey.OP_READ, this);
        if (authentication.isWanted()) {
            move(State.AWAIT_CHALLENGE);
            socket.send(Frame.Type.KNOCK, authentication.knock());
        } else {
            sayHello();
        }
    }

    // ---- what is said ----

    private void receive() throws IOException, ProtocolException {
        boolean isAlive = socket.receive();
        Frame frame = state == State.AWAIT_REACH ? null : socket.next();
        if (frame != null) {
            onFrame(frame);
        } else if (!isAlive) {
            String refusal = refusal();
            throw new ProtocolException(refusal == null ? "it closed the socket during the handshake" : refusal);
        }
    }

    /** What the peer said last, if that is why it has gone; otherwise null. */
    private String refusal() {
        if (state != State.AWAIT_REACH) {
            return null;
        }
        try {
            socket.receive();
            Frame frame = socket.next();
            return frame == null || frame.type() != Frame.Type.REFUSE ? null : refusal(frame);
        } catch (IOException | ProtocolException e) {
            LOGGER.debug("nothing more was said", e);
            return null;
        }
    }

    private static String refusal(Frame frame) {
        return "refused: " + ControlSocket.refusal(frame);
    }

    private void onFrame(Frame frame) throws IOException, ProtocolException {
        if (frame.type() == Frame.Type.REFUSE) {
            throw new ProtocolException(refusal(frame));
        } else if (state == State.AWAIT_CHALLENGE && frame.type() == Frame.Type.CHALLENGE) {
            authentication.onChallenge(frame.payload());
            sayHello();
        } else if (state == State.AWAIT_WELCOME && frame.type() == Frame.Type.WELCOME) {
            onWelcome(authentication.openWelcome(frame.payload()));
        } else {
            throw new ProtocolException("unexpected " + frame.type());
        }
    }

    private void sayHello() throws IOException, ProtocolException {
        move(State.AWAIT_WELCOME);
        negotiation = fabric.negotiate(options);
        negotiation.approach(socket);
        socket.send(Frame.Type.HELLO, authentication.signHello(negotiation.hello()));
    }

    private void onWelcome(ByteBuffer welcome) throws IOException, ProtocolException {
        if (fabric.visitor(welcome.duplicate()).queuePairCount() != options.size()) {
            throw new ProtocolException("it made another number of queue pairs");
        }
        connection = negotiation.connect(socket, welcome);
        move(State.AWAIT_REACH);
        connection.whenReachable(cause -> loop.run(() -> step(() -> onReached(cause))));
    }

    /** @param cause why it never will be, or null */
    private void onReached(String cause) throws IOException, ProtocolException {
        if (cause != null) {
            throw new ProtocolException(cause);
        }
        socket.send(Frame.Type.READY);
        if (!fabric.adopt(connection)) {
            end(fabric.refusal(), null);
            return;
        }
        move(State.CONNECTED);
        release();
        loop.watch(socket.channel(), SelectionKey.OP_READ, connection);
        try {
            handler.onConnected(connection);
        } catch (RuntimeException e) {
            LOGGER.error("the handler of a new connection failed; the connection is closed", e);
            connection.abort("cannot use the connection: " + e.getMessage());
        }
        // The peer may have said more behind its WELCOME, or have ended already.
        connection.onReady();
    }

    // ---- the end ----

    private void move(State next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("connecting cannot move from " + state + " to " + next);
        }
        state = next;
    }

    private void release() {
        if (deadline != null) {
            deadline.cancel();
        }
        if (retry != null) {
            retry.cancel();
        }
        if (negotiation != null) {
            negotiation.close();
        }
        fabric.forget(this);
    }

    private void end(String reason, Throwable cause) {
        if (state.isOver()) {
            return;
        }
        boolean awaitsReady = state == State.AWAIT_WELCOME || state == State.AWAIT_REACH;
        move(State.ENDED);
        release();
        if (awaitsReady) {
            sayRefusal(reason);
        }
        if (connection != null) {
            connection.close();
        }
        if (socket != null) {
            socket.close();
        }
        try {
            handler.onFailed(new TransferException("cannot connect to " + remote + ": " + reason, cause));
        } catch (RuntimeException e) {
            LOGGER.error("the handler of a connection that failed failed too", e);
        }
    }

    /** The peer waits for READY, so it must hear that it will not come. */
    private void sayRefusal(String reason) {
        try {
            socket.sendRefusal(reason);
        } catch (IOException e) {
            LOGGER.debug("who has not welcomed, or is gone, cannot be told", e);
        }
    }
}
