package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;

/** A peer that asks for slots to be written over queue pairs that there are not is told so. */
class ImpossiblePlacementTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final RdmaDevice asking = device("asking");
    private final RdmaDevice asked = device("asked");

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName(name).withQueueDepth(16)
                .withQueuePairsPerPeer(Striping.QUEUE_PAIRS_MAX + 1));
    }

    private byte[] ask(int queuePairIndex, int stripes) {
        return asking.call(asked.endpoint(), ReceiverDirectory.PLACEMENT, new PlacementRequest(PlacementProtocol.STATIC,
                "nobody's", ElementType.INT8, Shape.of(1), 1, queuePairIndex, stripes, true, 0, 0, "").encode(),
                TIMEOUT);
    }

    @ParameterizedTest
    @CsvSource({"-1, 1, no such queue pair", "9, 1, no such queue pair", "0, 0, no so many queue pairs",
            "0, -1, no so many queue pairs", "8, 9, no so many queue pairs"})
    void isRefused(int queuePairIndex, int stripes, String words) {
        TransferException e = assertThrows(TransferException.class, () -> ask(queuePairIndex, stripes));
        assertTrue(e.getMessage().contains(words), e.getMessage());
    }

    @Test
    void whatIsPossibleWaitsForItsReceiver() {
        assertFalse(PlacementAnswer.decode(ask(8, Striping.QUEUE_PAIRS_MAX)).announced());
    }

    @AfterEach
    void close() {
        asking.close();
        asked.close();
    }
}
