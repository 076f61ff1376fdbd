package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuestSlotsTest {
    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofMinutes(2);

    @Test
    void noMoreStartThanThereAreSlots() throws Exception {
        GuestSlots slots = new GuestSlots(2);
        slots.take(SHORT);
        slots.take(SHORT);
        assertEquals(0, slots.freeCount());
        CompletableFuture<Void> third = taking(slots, SHORT);
        assertFalse(third.isDone());
        slots.giveBack();
        third.get();
        assertEquals(0, slots.freeCount());
        slots.giveBack();
        assertEquals(1, slots.freeCount());
    }

    @Test
    void whoMayTakeLongestIsFirstAndThenWhoWaitsLongest() throws Exception {
        GuestSlots slots = new GuestSlots(1);
        slots.take(SHORT);
        CompletableFuture<Void> first = taking(slots, SHORT);
        CompletableFuture<Void> second = taking(slots, SHORT);
        CompletableFuture<Void> longest = taking(slots, LONG);
        slots.giveBack();
        longest.get();
        assertFalse(first.isDone());
        slots.giveBack();
        first.get();
        assertFalse(second.isDone());
        slots.giveBack();
        second.get();
    }

    @Test
    void testsThatRunBesideHaveASlotUntilTheyEnd() throws Exception {
        Process beside = new ProcessBuilder("cat").start();
        try {
            GuestSlots slots = new GuestSlots(2);
            slots.lendOneTo(beside.toHandle());
            assertEquals(1, slots.freeCount());
            slots.take(LONG);
            CompletableFuture<Void> second = taking(slots, LONG);
            assertFalse(second.isDone());
            beside.getOutputStream().close();
            second.get();
        } finally {
            beside.destroyForcibly();
        }
    }

    @Test
    void thisMachineHasAtLeastOne() throws Exception {
        Guests.assumeTheyWork();
        Process slots = new ProcessBuilder(ScriptRun.SCRIPT.toString(), "slots").start();
        int count = Integer.parseInt(new String(slots.getInputStream().readAllBytes()).strip());
        assertTrue(count >= 1 && count <= Runtime.getRuntime().availableProcessors(), "count=" + count);
    }

    /** Somebody who waits already when this returns. */
    private static CompletableFuture<Void> taking(GuestSlots slots, Duration timeout) throws InterruptedException {
        CompletableFuture<Void> taken = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                slots.take(timeout);
                taken.complete(null);
            } catch (InterruptedException e) {
                taken.completeExceptionally(e);
            }
        });
        while (thread.getState() != Thread.State.WAITING && thread.isAlive()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return taken;
    }
}
