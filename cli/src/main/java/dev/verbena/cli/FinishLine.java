package dev.verbena.cli;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/**
 * Where tasks wait for each other at the end, so that none takes a peer that has gone home for one that died. Everybody asks the
 * first task until it says that all have finished, and then takes leave of it; the first goes last.
 *
 * <p>Owner: the task. Threading: {@link #cross} by the task's thread, the handlers on a poller's.
 */
final class FinishLine {
    private static final String FINISHED = "verbena.finished";
    private static final String LEAVING = "verbena.leaving";
    private static final byte[] YES = {1};
    private static final byte[] NOT_YET = {0};
    private static final byte[] NOTHING = {};
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_NS = 5_000_000;
    /** How long the first waits for leaves that somebody who knows that all is done may have failed to take. */
    private static final long LEAVE_TIMEOUT_NS = 2_000_000_000;

    private final RdmaDevice device;
    private final String firstName;
    private final Endpoint first;
    private final boolean isFirst;
    private final Set<String> others;
    private final Set<String> finished = ConcurrentHashMap.newKeySet();
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final Set<String> gone = ConcurrentHashMap.newKeySet();
    private volatile boolean hasFinished;

    FinishLine(RdmaDevice device, String task, Map<String, Endpoint> cluster) {
        this.device = device;
        Map.Entry<String, Endpoint> leader = cluster.entrySet().iterator().next();
        this.firstName = leader.getKey();
        this.first = leader.getValue();
        this.isFirst = leader.getKey().equals(task);
        this.others = new LinkedHashSet<>(cluster.keySet());
        others.remove(task);
        device.handle(FINISHED, (peer, request) -> answer(peer));
        device.handle(LEAVING, (peer, request) -> {
            gone.add(peer);
            return NOTHING;
        });
    }

    /** Returns when every task has come here. @throws TransferException if the first task is lost before it has said so */
    void cross() {
        hasFinished = true;
        if (isFirst) {
            while (!told.containsAll(others)) {
                pause();
            }
            long deadlineNs = System.nanoTime() + LEAVE_TIMEOUT_NS;
            while (!gone.containsAll(others) && System.nanoTime() < deadlineNs) {
                pause();
            }
            return;
        }
        while (device.call(first, FINISHED, NOTHING, ANSWER_TIMEOUT)[0] != YES[0]) {
            pause();
        }
        try {
            device.call(first, LEAVING, NOTHING, ANSWER_TIMEOUT);
        } catch (TransferException _) {
            // The first has left on hearing it, before its answer was out.
        }
    }

    /** Others' calls are answered meanwhile, where callers drive the device. */
    private void pause() {
        device.awaitActivity(device.activity(), PAUSE_NS);
    }

    /** What {@link #cross} has not heard yet, in words. Thread-safe. */
    String waitingFor() {
        if (!isFirst) {
            return "waiting for " + firstName + " at " + first + " to say that every task has finished";
        }
        Set<String> missing = new LinkedHashSet<>(others);
        missing.removeAll(finished);
        return missing.isEmpty() ? "taking leave of " + String.join(", ", others)
                : "waiting for " + String.join(", ", missing) + " to finish";
    }

    /**
     * Whether the loss of the peer that the sentence names is none: it had finished. The first knows who has; the others leave the
     * judgement to it, and notice when it is lost itself.
     */
    boolean mayLeave(String sentence) {
        return hasFinished && (!isFirst || others.stream().filter(sentence::contains).allMatch(told::contains));
    }

    private byte[] answer(String peer) {
        finished.add(peer);
        if (hasFinished && finished.containsAll(others)) {
            told.add(peer);
            return YES;
        }
        return NOT_YET;
    }
}
