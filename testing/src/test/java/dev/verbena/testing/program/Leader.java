package dev.verbena.testing.program;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Leads programs over a real fabric, of a seed each, and says what must hold: every tensor arrives once and intact, or both ends hear why
 * not; nothing hangs and nothing stays.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> one thread.
 */
public final class Leader implements AutoCloseable {
    private static final long PAUSE_NS = 2_000_000;

    private final String fabric;
    private final long timeoutNs;
    private final List<Part> parts = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Agenda agenda;
    private EndReport[] senders;
    private EndReport[] receivers;
    /** Of the group's members: whether they have done all, and how many operations have ended well. */
    private boolean[] haveDone;
    private int[] succeeded;
    private boolean isGone;
    private boolean isDisturbed;
    private long tensors;
    private long collectives;
    private int disturbances;

    /** @param timeout for each thing that it waits for, while the process that has to do it lives: many times what that takes there */
    public Leader(String fabric, Duration timeout) {
        this.fabric = fabric;
        timeoutNs = timeout.toNanos();
    }

    /** @throws AssertionError that says what is wrong, and the seed */
    public void run(long seed) throws InterruptedException {
        agenda = Agenda.of(seed);
        senders = new EndReport[agenda.streams().size()];
        receivers = new EndReport[agenda.streams().size()];
        haveDone = new boolean[agenda.devices()];
        succeeded = new int[agenda.devices()];
        isGone = false;
        isDisturbed = false;
        violations.clear();
        try {
            begin();
            awaitThat("all have acted", this::report);
            disturb();
            awaitThat("all is settled", this::isSettled);
            end();
        } catch (AssertionError e) {
            violations.add(e.getMessage());
        }
        for (EndReport each : receivers) {
            tensors += each == null ? 0 : each.count();
        }
        collectives += Arrays.stream(succeeded).sum();
        if (!violations.isEmpty()) {
            throw new AssertionError("seed=" + seed + " " + String.join("; ", violations) + "; " + agenda);
        }
    }

    /** Tensors that have arrived in all programs. */
    public long tensors() {
        return tensors;
    }

    /** Operations of a group that have ended well, each at each member. */
    public long collectives() {
        return collectives;
    }

    /** Programs in which one of the devices gave up, closed, or was killed. */
    public int disturbances() {
        return disturbances;
    }

    private void begin() throws InterruptedException {
        while (parts.size() < agenda.devices()) {
            parts.add(new Part(fabric));
        }
        String[][] ready = new String[agenda.devices()][];
        for (int i = 0; i < agenda.devices(); i++) {
            parts.get(i).tell("begin " + agenda.seed() + " " + i);
        }
        for (int i = 0; i < agenda.devices(); i++) {
            ready[i] = parts.get(i).hear(timeoutNs).split(" ");
        }
        for (int i = 0; i < agenda.devices(); i++) {
            StringBuilder peers = new StringBuilder("peers");
            for (String[] each : ready) {
                int landing = 2 + 3 * i;
                peers.append(" ").append(each[1]).append(" ").append(each[landing]).append(" ")
                        .append(each[landing + 1]).append(" ").append(each[landing + 2]);
            }
            parts.get(i).tell(peers.toString());
        }
    }

    private interface Condition {
        boolean holds() throws InterruptedException;
    }

    private void awaitThat(String what, Condition condition) throws InterruptedException {
        long startNs = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - startNs > timeoutNs) {
                throw new AssertionError("not so in time: " + what + ": senders=" + List.of(senders) + " receivers="
                        + List.of(receivers));
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    /** @return whether all have done what they were to do, but for their streams */
    private boolean report() throws InterruptedException {
        int acted = 0;
        for (int i = 0; i < agenda.devices(); i++) {
            if (!isGone(i)) {
                parts.get(i).tell("report");
            }
        }
        for (int i = 0; i < agenda.devices(); i++) {
            while (!isGone(i)) {
                String[] words = parts.get(i).hear(timeoutNs).split(" ");
                if (words[0].equals("reported")) {
                    break;
                } else if (words[0].equals("acted")) {
                    acted++;
                } else if (words[0].equals("group")) {
                    haveDone[i] = Boolean.parseBoolean(words[1]);
                    succeeded[i] = Integer.parseInt(words[2]);
                } else {
                    EndReport[] reports = words[0].equals("sender") ? senders : receivers;
                    reports[Integer.parseInt(words[1])] = EndReport.decode(words, 2);
                }
            }
        }
        return acted == agenda.devices();
    }

    private boolean isGone(int device) {
        return isGone && device == agenda.disturbed();
    }

    private boolean hasEnded(int device) {
        return isDisturbed && device == agenda.disturbed();
    }

    private void disturb() {
        if (agenda.isHarmless()) {
            return;
        }
        LockSupport.parkNanos(agenda.disturbedNs());
        disturbances++;
        isDisturbed = true;
        if (agenda.disturbance() == Agenda.Disturbance.KILL) {
            isGone = true;
            parts.get(agenda.disturbed()).kill();
        } else {
            parts.get(agenda.disturbed()).tell("disturb");
        }
    }

    private boolean isSettled() throws InterruptedException {
        report();
        boolean isSettled = true;
        for (int i = 0; i < agenda.devices(); i++) {
            isSettled &= haveDone[i] || isGone(i);
        }
        checkSucceeded();
        for (Agenda.Planned each : agenda.streams()) {
            EndReport receiver = receivers[each.stream().id()];
            boolean isFromGone = isGone(each.from());
            EndReport sender = isFromGone ? lastSeen(each, receiver) : senders[each.stream().id()];
            String fault = EndReport.fault(sender, receiver, isFromGone);
            if (fault != null) {
                throw new AssertionError(each.stream().name() + ": " + fault);
            }
            isSettled &= EndReport.areSettled(sender, receiver, isFromGone, isGone(each.to()),
                    !hasEnded(each.from()) && !hasEnded(each.to()));
        }
        return isSettled;
    }

    /** Where nothing happens to anybody all do all. */
    private void checkSucceeded() {
        for (int i = 0; agenda.isHarmless() && i < agenda.devices(); i++) {
            if (haveDone[i] && succeeded[i] != agenda.collectives().size()) {
                throw new AssertionError("d" + i + " has done operations=" + succeeded[i] + " of its group");
            }
        }
    }

    /** It may have said goodbye after its last report. */
    private EndReport lastSeen(Agenda.Planned planned, EndReport receiver) {
        EndReport reported = senders[planned.stream().id()];
        return planned.isSenderClosing() && receiver.count() == planned.count() && !reported.hasFailed()
                ? new EndReport(true, planned.count(), true, true, false)
                : reported;
    }

    private void end() throws InterruptedException {
        for (int i = 0; i < agenda.devices(); i++) {
            if (!isGone(i)) {
                parts.get(i).tell("end");
            }
        }
        for (int i = 0; i < agenda.devices(); i++) {
            String line = isGone(i) ? "ended" : parts.get(i).hear(timeoutNs);
            while (!line.equals("ended")) {
                violations.add("d" + i + ": " + line);
                line = parts.get(i).hear(timeoutNs);
            }
        }
        if (isGone) {
            parts.remove(agenda.disturbed()).close();
        }
    }

    @Override
    public void close() {
        parts.forEach(Part::close);
    }
}
