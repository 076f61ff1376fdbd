package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.cli.FailedRunException;
import dev.verbena.transfer.ExchangeOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;

/** What arrives is compared, and a peer that is lost is no silence. */
class TensorEndsTest {
    private final RdmaDevice first = device("first");
    private final RdmaDevice second = device("second");
    private final TensorLink here = new TensorLink(first, second.endpoint());
    private final TensorLink there = new TensorLink(second, first.endpoint());

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withFabric("shm").withName(name));
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @ParameterizedTest
    @CsvSource({"STATIC, 8", "STATIC, 100", "STATIC, 70000", "DYNAMIC, 8", "DYNAMIC, 100", "DYNAMIC, 256",
            "DYNAMIC, 512",
            "DYNAMIC, 70000",
            "EXCHANGE, 8", "EXCHANGE, 70000", "EAGER, 100", "EAGER, 70000", "RENDEZVOUS, 100",
            "PLACED, 8", "PLACED, 100", "PLACED, 70000"})
    void numbersAndPatternsAreCompared(TensorProtocol protocol, long byteSize) {
        boolean isReadInChunks = byteSize > ExchangeOptions.EAGER_BYTE_SIZE_MAX
                && Set.of(TensorProtocol.EXCHANGE, TensorProtocol.EAGER).contains(protocol);
        try (TensorEnds ours = new TensorEnds(here, protocol, byteSize, 1, 2, false);
                TensorEnds theirs = new TensorEnds(there, protocol, byteSize, 2, 1, false)) {
            ours.connect();
            theirs.connect();
            for (int i = 0; i < 5; i++) {
                ours.send(i);
                theirs.receive(i);
                theirs.sendPattern(i);
                ours.receivePattern(i);
                assertEquals(isReadInChunks, ours.firstNs() != 0);
            }
            ours.send(5);
            String number = assertThrows(FailedRunException.class, () -> theirs.receive(6)).getMessage();
            assertTrue(number.endsWith(" bytes arrived with 5 instead of 6 at byte 0"), number);
            ours.sendPattern(1);
            assertThrows(FailedRunException.class, () -> theirs.receivePattern(2));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 16, 25, 4096})
    void whoTouchesWritesAndComparesEveryByte(long byteSize) {
        try (TensorEnds ours = new TensorEnds(here, TensorProtocol.STATIC, byteSize, 1, 2, true);
                TensorEnds theirs = new TensorEnds(there, TensorProtocol.STATIC, byteSize, 2, 1, true)) {
            ours.connect();
            theirs.connect();
            for (int i = 250; i < 260; i++) {
                ours.send(i);
                theirs.receive(i);
            }
        }
    }

    @Test
    void whoTouchesFindsAByteBetweenTheNumbers() {
        try (TensorEnds ours = new TensorEnds(here, TensorProtocol.STATIC, 4096, 1, 1, false);
                TensorEnds theirs = new TensorEnds(there, TensorProtocol.STATIC, 4096, 1, 1, true)) {
            ours.connect();
            theirs.connect();
            ours.send(3);
            String found = assertThrows(FailedRunException.class, () -> theirs.receive(3)).getMessage();
            assertTrue(found.endsWith(" bytes arrived with 0 instead of " + 0x0303030303030303L + " at byte 8"), found);
        }
    }

    @Test
    void wordsArriveAndALostPeerEndsTheWait() {
        here.tell(1, -2);
        assertArrayEquals(new long[]{1, -2}, there.await());
        first.abort("it has had enough");
        String lost = assertThrows(FailedRunException.class, there::await).getMessage();
        assertTrue(lost.contains("first") && lost.contains("it has had enough"), lost);
    }

    @Test
    void whoGoesUponAWordNeedNotAnswerIt() {
        for (boolean isLast : new boolean[]{false, true}) {
            RdmaDevice asks = device("asks");
            try (RdmaDevice goes = device("goes"); TensorLink link = new TensorLink(asks, goes.endpoint())) {
                goes.handle("perf.tell", (_, request) -> {
                    goes.abort("it goes");
                    return request;
                });
                if (isLast) {
                    link.tellLast(1);
                } else {
                    assertThrows(TransferException.class, () -> link.tell(1));
                }
            }
        }
    }

    @Test
    void whoWaitsForWordsDrives() throws Exception {
        RdmaDeviceOptions callers = RdmaDeviceOptions.defaults().withFabric("shm").withProgress(Progress.callers());
        RdmaDevice third = RdmaDevice.create(callers);
        RdmaDevice fourth = RdmaDevice.create(callers);
        try (TensorLink one = new TensorLink(third, fourth.endpoint());
                TensorLink other = new TensorLink(fourth, third.endpoint())) {
            FutureTask<long[]> echo = new FutureTask<>(() -> {
                long[] words = other.await();
                other.tell(words);
                return words;
            });
            Thread.ofPlatform().daemon().start(echo);
            one.tell(3, 4);
            assertArrayEquals(new long[]{3, 4}, one.await());
            assertArrayEquals(new long[]{3, 4}, echo.get());
        }
    }
}
