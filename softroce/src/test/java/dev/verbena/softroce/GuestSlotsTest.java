package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuestSlotsTest {
    @Test
    void twoHostsStartTogetherAndAreNotOvertaken() throws Exception {
        GuestSlots slots = new GuestSlots(2);
        int single = slots.take(1);
        CompletableFuture<Integer> pair = taking(slots, 2);
        CompletableFuture<Integer> later = taking(slots, 1);
        assertEquals(1, slots.freeCount());
        assertFalse(pair.isDone() || later.isDone());
        slots.giveBack(single);
        slots.giveBack(pair.get());
        assertEquals(1, later.get());
    }

    @Test
    void whereThereIsOneSlotTwoHostsMakeDoWithIt() throws Exception {
        GuestSlots slots = new GuestSlots(1);
        int taken = slots.take(2);
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
            CompletableFuture<Integer> pair = taking(slots, 2);
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
    private static CompletableFuture<Integer> taking(GuestSlots slots, int guests) throws InterruptedException {
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                taken.complete(slots.take(guests));
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
