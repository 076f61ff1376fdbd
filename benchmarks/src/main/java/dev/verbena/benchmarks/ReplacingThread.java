package dev.verbena.benchmarks;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * One of the threads that replace blocks; each begins at another call, so that no two do the same at the same time.
 *
 * <p><b>Owner:</b> JMH. <b>Threading:</b> confined to the thread that it stands for.
 */
@State(Scope.Thread)
public class ReplacingThread {
    private Slots slots;
    private int[] calls;
    private int slotCount;
    private int firstSlot;
    private int call;

    /** All slots are full. */
    @Setup
    public void fill(SharedSlots shared, ThreadParams thread) {
        slots = shared.slots();
        calls = shared.workload().calls();
        slotCount = shared.workload().slotCount();
        firstSlot = thread.getThreadIndex() * SharedSlots.STRIDE;
        call = calls.length / shared.threads() * thread.getThreadIndex();
        for (int slot = 0; slot < slotCount; slot++) {
            slots.allocate(firstSlot + slot, slot);
        }
    }

    /** The next pair of the workload, which begins anew behind its end. */
    void replaceNext() {
        int slot = firstSlot + calls[call];
        slots.free(slot);
        slots.allocate(slot, call);
        call = call + 1 == calls.length ? 0 : call + 1;
    }

    Slots slots() {
        return slots;
    }

    /** Gives everything back. */
    @TearDown
    public void empty(SharedSlots shared) {
        for (int slot = 0; slot < slotCount; slot++) {
            slots.free(firstSlot + slot);
        }
        shared.leave();
    }
}
