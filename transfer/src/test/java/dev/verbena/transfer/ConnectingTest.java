package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices connect to many at once, and to some in vain. */
@Timeout(120)
class ConnectingTest {
    private static final int MANY = 1_000;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static RdmaDevice device(String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults(NetworkOptions.defaults()).withFabric("shm").withName(name)
                .withQueueDepth(4).withProgress(Progress.callers()));
    }

    private static long platformThreads() {
        return Thread.getAllStackTraces().size();
    }

    @Test
    void aThousandThatNobodyAnswersTakeNoThreadAndHoldUpNobody() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 2 * MANY); RdmaDevice there = device("there")) {
            List<CompletableFuture<RdmaChannel>> inVain = new ArrayList<>();
            try (RdmaDevice here = device("here")) {
                here.channelAsync(there.endpoint(), 0).toCompletableFuture().join();
                long threads = platformThreads();
                for (int i = 0; i < MANY; i++) {
                    Endpoint nobody = new Endpoint("127.0." + i / 250 + "." + (i % 250 + 1), silent.getLocalPort());
                    inVain.add(here.channelAsync(nobody, 0).toCompletableFuture());
                }
                assertTrue(platformThreads() <= threads + 2, "threads=" + platformThreads() + ", before=" + threads);
                try (RdmaDevice other = device("other")) {
                    RdmaChannel channel = here.channelAsync(other.endpoint(), 0).toCompletableFuture().get(20,
                            TimeUnit.SECONDS);
                    assertEquals("other", channel.peerName());
                }
                assertFalse(inVain.stream().anyMatch(CompletableFuture::isDone));
            }
            for (CompletableFuture<RdmaChannel> each : inVain) {
                String message = assertThrows(CompletionException.class, each::join).getCause().getMessage();
                assertTrue(message.contains("device 'here' is closed"), message);
            }
        }
    }

    @Test
    void allWhoWaitForOnePeerGetTheSameConnection() {
        List<CompletionStage<RdmaChannel>> stages = new ArrayList<>();
        try (RdmaDevice there = device("there"); RdmaDevice here = device("here")) {
            for (int i = 0; i < 10; i++) {
                stages.add(here.channelAsync(there.endpoint(), i % here.queuePairsPerPeer()));
            }
            stages.forEach(stage -> assertEquals("there", stage.toCompletableFuture().join().peerName()));
            assertEquals("there", here.channel(there.endpoint(), 0).peerName());
        }
    }

    @Test
    void whoIsInterruptedWhileItConnectsHearsThatAndOthersStillWait() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                RdmaDevice here = device("here")) {
            Endpoint nobody = new Endpoint("127.0.0.1", silent.getLocalPort());
            CompletableFuture<RdmaChannel> other = here.channelAsync(nobody, 0).toCompletableFuture();
            AtomicReference<TransferException> heard = new AtomicReference<>();
            Thread waiting = Thread.ofPlatform()
                    .start(() -> heard.set(assertThrows(TransferException.class, () -> here.channel(nobody, 0))));
            waiting.interrupt();
            waiting.join();
            assertTrue(heard.get().getMessage().contains("interrupted while device 'here' connected to " + nobody),
                    heard.get().getMessage());
            assertFalse(other.isDone());
        }
    }

    @Test
    void aHandlerThatWouldWaitForAConnectionIsToldWhatToDo() {
        try (RdmaDevice there = device("there"); RdmaDevice here = device("here")) {
            Endpoint nobody = new Endpoint("127.0.0.1", 1);
            there.handle("connect", (_, _) -> {
                String message = assertThrows(IllegalStateException.class, () -> there.channel(nobody, 0))
                        .getMessage();
                return message.getBytes(StandardCharsets.UTF_8);
            });
            CompletionStage<byte[]> answer = here.callAsync(there.endpoint(), "connect", new byte[0], TIMEOUT);
            while (!answer.toCompletableFuture().isDone()) {
                there.progress();
                here.progress();
            }
            String message = new String(answer.toCompletableFuture().join(), StandardCharsets.UTF_8);
            assertTrue(message.contains("use channelAsync"), message);
        }
    }
}
