package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.cm.CmLink;

/**
 * The connections that were made through rdma_cm; none on a device whose queue pairs are connected by hand.
 *
 * <p>Threading: confined to the test's thread.
 */
final class CmLinks implements AutoCloseable {
    private final List<CmLink> links = new ArrayList<>();

    /** From RESET. */
    void connect(QueuePair one, QueuePair other, DirectConnectionOptions options) {
        if (one.type() != QueuePairType.RELIABLE_CONNECTED || TestDevice.has(Need.CONNECTING_BY_HAND)) {
            DirectConnection.connect(one, other, options);
            return;
        }
        for (QueuePair pair : List.of(one, other)) {
            pair.modify(QueuePairAttributes.to(QueuePairState.INIT).port(options.port().number()).partitionKeyIndex(0)
                    .access(options.access()));
        }
        links.add(new CmLink(one, other));
    }

    /** At once; or, of a connection through rdma_cm, when its events have told. */
    void expectState(QueuePair pair, QueuePairState state) {
        TestDevice.await(() -> {
            links.forEach(CmLink::takeEvents);
            return links.isEmpty() || pair.state() == state;
        });
        assertEquals(state, pair.state());
    }

    @Override
    public void close() {
        links.forEach(CmLink::close);
    }
}
