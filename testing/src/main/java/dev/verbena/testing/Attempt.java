package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;

/** One call of {@code connect} by a side, and all that its handler has heard. */
final class Attempt implements ConnectHandler {
    private static final long HANG_NS = TimeUnit.SECONDS.toNanos(50);

    private final Endpoint remote;
    private final List<Object> heard = new CopyOnWriteArrayList<>();

    private Attempt(Endpoint remote) {
        this.remote = remote;
    }

    /** With more time than a test has. */
    static Attempt begin(FabricSide side, Endpoint remote) {
        return begin(side, remote, HANG_NS);
    }

    static Attempt begin(FabricSide side, Endpoint remote, long timeoutNs) {
        Attempt attempt = new Attempt(remote);
        side.fabric.connect(remote, side.queuePairOptions(1), timeoutNs, attempt);
        return attempt;
    }

    boolean isOver() {
        return !heard.isEmpty();
    }

    Connection connection() {
        return assertInstanceOf(Connection.class, theOne(), () -> heard.toString());
    }

    /** It came to nothing, with these words. */
    void assertFailed(String words) {
        String message = failure();
        assertTrue(message.contains("cannot connect to " + remote + ": ") && message.contains(words), message);
    }

    String failure() {
        return assertInstanceOf(TransferException.class, theOne()).getMessage();
    }

    private Object theOne() {
        assertEquals(1, heard.size(), heard.toString());
        return heard.getFirst();
    }

    @Override
    public void onConnected(Connection connection) {
        heard.add(connection);
    }

    @Override
    public void onFailed(TransferException cause) {
        heard.add(cause);
    }
}
