package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * Asks its queue pairs, in the order in which chance will have it.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> confined to the simulation, but for {@link #signal}.
 */
final class SimCompletionQueue implements CompletionQueue {
    /** In a row, before it looks for what peers have put. */
    private static final int IDLE_POLLS_MAX = 64;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final List<SimQueuePair> queuePairs = new ArrayList<>();
    private final Completion completion = new Completion();
    private boolean isOpen = true;
    private boolean hasEffect;
    /** A peer has put something of which it tells only who sleeps. */
    private boolean hasPut;
    private int idlePolls;
    /** However few polls have found nothing. */
    private boolean isToLookForPuts;
    private long remoteEffects;
    private volatile boolean isSignaled;
    private boolean isAwaiting;

    SimCompletionQueue(Simulation simulation, SimFabric fabric) {
        this.simulation = simulation;
        this.fabric = fabric;
    }

    boolean isUsable(SimFabric fabric) {
        return this.fabric == fabric && isOpen;
    }

    @Override
    public int poll(CompletionHandler handler, int countMax) {
        checkOpen();
        simulation.passPoll();
        if (fabric.process().isStill() || simulation.chance().happens(Fault.EMPTY_POLL_ONE_IN)) {
            return 0;
        }
        idlePolls = hasEffect || anyReady() != null ? 0 : idlePolls + 1;
        if (isToLookForPuts || idlePolls > IDLE_POLLS_MAX) {
            isToLookForPuts = false;
            tellOfPuts();
        }
        if (hasEffect) {
            hasEffect = false;
            remoteEffects++;
        }
        int most = simulation.chance().pollCountMax(countMax);
        int count = 0;
        for (SimQueuePair next = anyReady(); count < most && next != null; next = anyReady()) {
            count += next.deliver(completion, handler);
        }
        if (most < countMax && count >= most && anyReady() != null) {
            simulation.chance().count(Fault.POLL_COUNT_MAX);
        }
        return count;
    }

    private void tellOfPuts() {
        if (hasPut) {
            hasPut = false;
            onEffect();
        }
    }

    private SimQueuePair anyReady() {
        List<SimQueuePair> ready = queuePairs.stream().filter(SimQueuePair::isReady).toList();
        return switch (ready.size()) {
            case 0 -> null;
            case 1 -> ready.getFirst();
            default -> ready.get(simulation.chance().below(ready.size()));
        };
    }

    @Override
    public long remoteEffects() {
        return remoteEffects;
    }

    @Override
    public void await(long timeoutNs) {
        checkOpen();
        tellOfPuts();
        isAwaiting = true;
        simulation.runUntil(() -> isSignaled || !fabric.process().isStill() && (hasEffect || anyReady() != null),
                timeoutNs);
        isAwaiting = false;
        isSignaled = false;
    }

    @Override
    public void lookForPuts() {
        isToLookForPuts = true;
    }

    @Override
    public void signal() {
        isSignaled = true;
    }

    /** Something of a peer's has landed in this process. */
    void onEffect() {
        hasEffect |= !simulation.chance().happensIfSet(Fault.SILENT_WRITES);
    }

    /** A peer has put a word. */
    void onPut(boolean tellsPolls) {
        if (tellsPolls || isAwaiting && simulation.conduct().wakesForPuts()) {
            onEffect();
        } else {
            hasPut = simulation.conduct().wakesForPuts();
        }
    }

    /** One of its queue pairs has more to deliver. */
    void onReady() {
        long countMax = simulation.plan().get(Fault.COMPLETION_COUNT_MAX);
        if (countMax != 0 && queuePairs.stream().mapToInt(SimQueuePair::readyCount).sum() > countMax) {
            simulation.chance().count(Fault.COMPLETION_COUNT_MAX);
            List.copyOf(queuePairs).forEach(each -> each.overrun("the completion queue of " + fabric
                    + " overran: countMax=" + countMax));
        }
    }

    void attach(SimQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    void detach(SimQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    private void checkOpen() {
        simulation.checkThread();
        if (!isOpen) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    @Override
    public void close() {
        simulation.checkThread();
        if (!isOpen) {
            return;
        }
        if (!queuePairs.isEmpty()) {
            throw new IllegalStateException(this + " still has " + queuePairs.size()
                    + " queue pairs; close their connections first");
        }
        isOpen = false;
        fabric.release(this);
    }

    @Override
    public String toString() {
        return "completion queue of " + fabric;
    }
}
