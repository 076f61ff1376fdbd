package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;

/** A listener whose control thread is busy with something else. */
class ControlListenerTest {
    private static final int VISITORS = 1024;
    private static final int HANG_MS = 20_000;

    @Test
    void aThousandMayWaitAtOnce() throws IOException {
        String limit = Files.readString(Path.of("/proc/sys/net/core/somaxconn")).strip();
        assumeTrue(Integer.parseInt(limit) >= VISITORS, "net.core.somaxconn=" + limit);
        List<Socket> visitors = new ArrayList<>();
        ControlListener listener = ControlListener.bind(new Endpoint("127.0.0.1", 0));
        try (var _ = listener.channel()) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", listener.endpoint().port());
            for (int i = 0; i < VISITORS; i++) {
                Socket visitor = new Socket();
                visitors.add(visitor);
                // Throws where the queue is shorter: nobody accepts.
                visitor.connect(address, HANG_MS);
            }
            assertEquals(VISITORS, visitors.stream().filter(Socket::isConnected).count());
        } finally {
            for (Socket visitor : visitors) {
                visitor.close();
            }
        }
    }
}
