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
    void twoHostsStartTogetherWhenNoSingleGuestWaits() throws Exception {
        GuestSlots slots = new GuestSlots(2);
        int first = slots.take(1, SHORT);
        int second = slots.take(1, SHORT);
        CompletableFuture<Integer> pair = taking(slots, 2, LONG);
        CompletableFuture<Integer> later = taking(slots, 1, SHORT);
        slots.giveBack(first);
        assertEquals(1, later.get());
        assertFalse(pair.isDone());
        slots.giveBack(second);
        assertFalse(pair.isDone());
        assertEquals(1, slots.freeCount());
        slots.giveBack(later.get());
        assertEquals(2, pair.get());
        assertEquals(0, slots.freeCount());
    }

    @Test
    void whoMayTakeLongestIsFirstAndThenWhoWaitsLongest() throws Exception {
        GuestSlots slots = new GuestSlots(1);
        int taken = slots.take(1, SHORT);
        CompletableFuture<Integer> first = taking(slots, 1, SHORT);
        CompletableFuture<Integer> second = taking(slots, 1, SHORT);
        CompletableFuture<Integer> longest = taking(slots, 1, LONG);
        slots.giveBack(taken);
        assertEquals(1, longest.get());
        assertFalse(first.isDone());
        slots.giveBack(longest.get());
        assertEquals(1, first.get());
        assertFalse(second.isDone());
        slots.giveBack(first.get());
        assertEquals(1, second.get());
    }

    @Test
    void whereThereIsOneSlotTwoHostsMakeDoWithIt() throws Exception {
        GuestSlots slots = new GuestSlots(1);
        int taken = slots.take(2, SHORT);
        assertEquals(0, slots.freeCount());
        slots.giveBack(taken);
        assertEquals(1, slots.freeCount());
    }

    @Test
    void testsThatRunBesideHaveASlotUntilTheyEnd() throws Exception {
        Process beside = new ProcessBuilder("cat").start();
        try {
            GuestSlots slots = new GuestSlots(2);
            slots.lendOneTo(beside.toHandle());
            assertEquals(1, slots.freeCount());
            CompletableFuture<Integer> pair = taking(slots, 2, LONG);
            beside.getOutputStream().close();
            assertEquals(2, pair.get());
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
    private static CompletableFuture<Integer> taking(GuestSlots slots, int guests, Duration timeout)
            throws InterruptedException {
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                taken.complete(slots.take(guests, timeout));
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
