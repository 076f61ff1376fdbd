package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.Iterator;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.fabric.control.ProtocolException;

/**
 * The local socket beside the port that a fabric listens on, where who connects hands over its {@link PeerFiles} and gets those of the other. Each
 * asks the kernel for the other's user.
 *
 * <pre>
 *   who connects                                      who listens
 *   knock: number, folder     ────── local ────────►  lies there until it is looked for
 *   HELLO with the number     ────── TCP ──────────►  answer: finds it,
 *                             ◄───── local ─────────  its own folder
 *                             ◄───── TCP ───────────  WELCOME
 *   enter: takes the folder
 * </pre>
 *
 * <p><b>Owner:</b> the fabric. <b>Threading:</b> confined to the control thread, but for making and closing.
 */
final class Door implements AutoCloseable {
    /** The number of who has found no door. */
    static final long NO_NUMBER = 0;
    /** As many as handshakes may be under way; who is pushed out finds its HELLO refused. */
    static final int WAITING_MAX = 1024;

    private static final Logger LOGGER = LoggerFactory.getLogger(Door.class);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final UnixSocket listening;
    private final PeerFiles own;
    private final int user;
    private final Deque<Visitor> waiting = new ArrayDeque<>();

    /** Somebody who has connected, and what it has sent. */
    private static final class Visitor {
        private final UnixSocket socket;
        private final long sinceNs = System.nanoTime();
        private UnixSocket.Passed passed = UnixSocket.NOTHING;

        private Visitor(UnixSocket socket) {
            this.socket = socket;
        }

        /** @return false if nothing can be expected of it */
        private boolean listen() throws IOException {
            passed = passed == UnixSocket.NOTHING ? socket.take() : passed;
            return passed != null;
        }

        private boolean isGone() throws IOException {
            return !listen() || passed != UnixSocket.NOTHING && socket.take() == null;
        }

        private void end() {
            socket.close();
            if (passed != null && passed.fd() >= 0) {
                Libc.close(passed.fd());
            }
        }
    }

    /** @param user who alone is let in */
    Door(InetSocketAddress local, PeerFiles own, int user) throws IOException {
        this.own = own;
        this.user = user;
        listening = UnixSocket.listen(name(local), WAITING_MAX);
    }

    /** Of the one that belongs to that port; who listens at all addresses has one for all. */
    private static String name(InetSocketAddress listening) {
        InetAddress address = listening.getAddress();
        return name(address.isAnyLocalAddress() ? "any" : HexFormat.of().formatHex(address.getAddress()),
                listening.getPort());
    }

    private static String name(String address, int port) {
        return "verbena-shm/" + address + "/" + port;
    }

    // ---- who connects ----

    /** A door at which somebody has knocked. Owner: the negotiation. Threading: confined to the control thread. */
    static final class Knock implements AutoCloseable {
        private final UnixSocket socket;
        private final long number;

        private Knock(UnixSocket socket, long number) {
            this.socket = socket;
            this.number = number;
        }

        long number() {
            return number;
        }

        /** Once the other has answered. */
        PeerFiles enter() throws ProtocolException, IOException {
            UnixSocket.Passed passed = socket.take();
            if (passed == null || passed == UnixSocket.NOTHING) {
                throw new ProtocolException("it has handed over no descriptor of its files");
            }
            return new PeerFiles(passed.fd());
        }

        @Override
        public void close() {
            socket.close();
        }
    }

    /**
     * Hands the own files over to who listens there.
     *
     * @return null if there is no door
     * @throws ProtocolException if it is another user's
     */
    static Knock knock(InetSocketAddress remote, PeerFiles own, int user) throws ProtocolException, IOException {
        UnixSocket socket = UnixSocket.connect(name(remote));
        if (socket == null) {
            socket = UnixSocket.connect(name("any", remote.getPort()));
        }
        if (socket == null) {
            return null;
        }
        try {
            checkUser(socket, user);
            long number;
            do {
                number = RANDOM.nextLong();
            } while (number == NO_NUMBER);
            socket.pass(number, own.folder());
            return new Knock(socket, number);
        } catch (ProtocolException | IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    // ---- who listens ----

    /**
     * Gets the files of who has knocked with that number, and hands over its own.
     *
     * @throws ProtocolException if nobody has, or another user
     */
    PeerFiles answer(long number) throws ProtocolException, IOException {
        letIn();
        for (Iterator<Visitor> visitors = waiting.iterator(); visitors.hasNext();) {
            Visitor visitor = visitors.next();
            if (!hasSomething(visitor)) {
                visitors.remove();
                visitor.end();
            } else if (visitor.passed != UnixSocket.NOTHING && visitor.passed.number() == number) {
                visitors.remove();
                return answer(visitor);
            }
        }
        throw new ProtocolException(number == NO_NUMBER
                ? "it finds no local socket of this side: it lives in another network namespace (another container);"
                        + " let both share one, or use --fabric verbs"
                : "it has handed over no descriptor of its files");
    }

    private PeerFiles answer(Visitor visitor) throws ProtocolException, IOException {
        try {
            checkUser(visitor.socket, user);
            visitor.socket.pass(visitor.passed.number(), own.folder());
        } catch (ProtocolException | IOException | RuntimeException e) {
            visitor.end();
            throw e;
        }
        visitor.socket.close();
        return new PeerFiles(visitor.passed.fd());
    }

    /** Whether some have connected that have not said HELLO yet, or never will. */
    boolean isSomebodyWaiting() {
        return !waiting.isEmpty();
    }

    /** Forgets who has hung up, or has waited so long. */
    void sweep(long waitNsMax) {
        long nowNs = System.nanoTime();
        for (Iterator<Visitor> visitors = waiting.iterator(); visitors.hasNext();) {
            Visitor visitor = visitors.next();
            if (nowNs - visitor.sinceNs > waitNsMax || isGone(visitor)) {
                visitors.remove();
                visitor.end();
            }
        }
    }

    private static boolean hasSomething(Visitor visitor) {
        try {
            return visitor.listen();
        } catch (IOException e) {
            LOGGER.trace("its socket is broken", e);
            return false;
        }
    }

    private static boolean isGone(Visitor visitor) {
        try {
            return visitor.isGone();
        } catch (IOException e) {
            LOGGER.trace("its socket is broken", e);
            return true;
        }
    }

    /** Makes room for others to connect. */
    void letIn() {
        try {
            for (UnixSocket next = listening.accept(); next != null; next = listening.accept()) {
                waiting.add(new Visitor(next));
                if (waiting.size() > WAITING_MAX) {
                    waiting.remove().end();
                }
            }
        } catch (IOException e) {
            LOGGER.warn("cannot accept local connections at present: {}; look at ulimit -n", e.getMessage());
        }
    }

    private static void checkUser(UnixSocket socket, int user) throws ProtocolException, IOException {
        int peer = socket.peerUser();
        if (peer != user) {
            throw new ProtocolException("it runs as user " + Integer.toUnsignedString(peer) + ", this side as user "
                    + Integer.toUnsignedString(user) + "; fabric 'shm' connects processes of one user");
        }
    }

    @Override
    public void close() {
        listening.close();
        waiting.forEach(Visitor::end);
        waiting.clear();
    }
}
