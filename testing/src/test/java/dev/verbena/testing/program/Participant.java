package dev.verbena.testing.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import dev.verbena.testing.LeakCheck;
import dev.verbena.testing.TestNetwork;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.RemoteRegion;
import dev.verbena.transfer.TransferException;

/**
 * One device's part in a program over a real fabric: in a process of its own. It speaks in lines with who leads it:
 *
 * <pre>
 *   begin SEED DEVICE ──►     ◄── ready PORT (ADDRESS BYTESIZE RKEY of each peer's landing)
 *   peers (PORT ADDRESS BYTESIZE RKEY of each) ──►
 *   report ──►                ◄── sender ID REPORT, receiver ID REPORT, group DONE SUCCEEDED, acted, reported
 *   disturb ──►
 *   end ──►                   ◄── violation TEXT, ended
 * </pre>
 *
 * <p><b>Owner:</b> {@link Leader}. <b>Threading:</b> one thread.
 */
final class Participant implements World {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long ARENA_BYTE_SIZE = 64 << 20;
    private static final long WAIT_NS = 200_000;
    private static final int CALLS = 6;

    private final BufferedReader in;
    private final PrintStream out;
    private final Agenda agenda;
    private final int number;
    private final Random random;
    private final Host host;
    private final long startNs = System.nanoTime();
    private final List<String> violations = Collections.synchronizedList(new ArrayList<>());
    /** Of each stream of the agenda; null where another one has that end. */
    private final List<SendingEnd> senders = new ArrayList<>();
    private final List<ReceivingEnd> receivers = new ArrayList<>();
    private final GroupEnd group;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<RemoteRegion> landings = new ArrayList<>();
    private final List<Runnable> actions = new ArrayList<>();
    private boolean isDisturbed;
    private boolean isClosed;
    private boolean isEnding;

    private Participant(BufferedReader in, PrintStream out, RdmaDeviceOptions defaults, Agenda agenda, int number) {
        this.in = in;
        this.out = out;
        this.agenda = agenda;
        this.number = number;
        random = agenda.random(number);
        host = new Host(this, number, RdmaDevice.create(agenda.options(defaults, number)), ARENA_BYTE_SIZE);
        group = new GroupEnd(this, host, number, agenda.collectives(), this::onFailure);
        for (Agenda.Planned each : agenda.streams()) {
            senders.add(each.from() != number ? null : new SendingEnd(this, each.stream(), host, this::onFailure));
            receivers.add(each.to() != number ? null
                    : new ReceivingEnd(this, each.stream(), host, each.holdNsMax(), this::onFailure));
        }
    }

    /** Takes part in one program after the other, until there is no more to read; after the first, what the process holds is counted. */
    private static void run(BufferedReader in, PrintStream out, RdmaDeviceOptions defaults) throws IOException {
        LeakCheck leaks = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            Participant participant = new Participant(in, out, defaults, Agenda.of(Long.parseLong(words[1])),
                    Integer.parseInt(words[2]));
            participant.run();
            if (leaks != null) {
                participant.check(leaks);
            } else {
                leaks = LeakCheck.begin(Path.of("/dev/shm"));
            }
            participant.violations.forEach(violation -> out.println("violation " + violation));
            out.println("ended");
        }
    }

    private void check(LeakCheck leaks) {
        try {
            leaks.assertNothingGrew();
        } catch (AssertionError e) {
            violate(e.getMessage());
        }
    }

    private void run() throws IOException {
        StringBuilder ready = new StringBuilder("ready ").append(host.device().endpoint().port());
        for (int i = 0; i < agenda.devices(); i++) {
            RemoteRegion landing = host.landing(i);
            ready.append(" ").append(landing.address()).append(" ").append(landing.byteSize()).append(" ")
                    .append(landing.rkey());
        }
        out.println(ready);
        hearOfPeers(in.readLine().split(" "));
        // Before anything that waits for a peer which waits here.
        attempt(() -> group.join(endpoints));
        planActions();
        while (!isEnding) {
            takeTurn();
        }
        closeAll();
        host.checkCopies();
    }

    private void hearOfPeers(String[] words) {
        for (int i = 0; i < agenda.devices(); i++) {
            int at = 1 + 4 * i;
            endpoints.add(new Endpoint(host.device().endpoint().host(), Integer.parseInt(words[at])));
            landings.add(new RemoteRegion(Long.parseLong(words[at + 1]), Long.parseLong(words[at + 2]),
                    Long.parseLong(words[at + 3])));
        }
    }

    private void planActions() {
        for (int i = 0; i < agenda.streams().size(); i++) {
            SendingEnd sender = senders.get(i);
            int to = agenda.streams().get(i).to();
            if (sender != null) {
                actions.add(() -> connect(sender, to));
            }
        }
        for (int i = 0; i < CALLS; i++) {
            int peer = (number + 1 + random.nextInt(agenda.devices() - 1)) % agenda.devices();
            actions.add(() -> host.call(endpoints.get(peer), TIMEOUT));
            actions.add(() -> copy(peer));
        }
        Collections.shuffle(actions, random);
    }

    private void connect(SendingEnd sender, int to) {
        try {
            sender.connect(endpoints.get(to), TIMEOUT);
        } catch (TransferException e) {
            sender.fail(e);
        }
    }

    private void copy(int peer) {
        if (!host.isCopying(peer)) {
            host.copy(endpoints.get(peer), peer, landings.get(peer), random.nextInt(), () -> {});
        }
    }

    // ---- turns ----

    private void takeTurn() throws IOException {
        while (!isEnding && in.ready()) {
            hear(in.readLine());
        }
        if (isClosed || isEnding) {
            return;
        }
        long seen = host.device().activity();
        for (int i = 0; i < agenda.streams().size(); i++) {
            takeTurn(agenda.streams().get(i), senders.get(i), receivers.get(i));
        }
        group.takeTurn();
        if (!actions.isEmpty() && !isDisturbed) {
            attempt(actions.removeLast());
        }
        host.device().progress();
        host.device().awaitActivity(seen, WAIT_NS);
    }

    private void takeTurn(Agenda.Planned planned, SendingEnd sender, ReceivingEnd receiver) {
        if (receiver != null) {
            if (!receiver.isAnnounced() && !isDisturbed && nowNs() - startNs >= planned.lateNs()) {
                receiver.announce();
            }
            receiver.takeTurn();
            if (receiver.received() >= planned.receivedMax()) {
                receiver.close();
            }
        }
        if (sender != null) {
            if (sender.offered() < planned.count()) {
                sender.offer();
            } else if (planned.isSenderClosing() && sender.isConnected()) {
                sender.close();
            }
            sender.look();
        }
    }

    private void attempt(Runnable action) {
        try {
            action.run();
        } catch (TransferException e) {
            violate(this + " failed though nothing has: " + e.getMessage());
        }
    }

    /** Where nothing is done to anybody it can only be that the other end has closed. */
    private void onFailure(TransferException e) {
        if (agenda.isHarmless() && !e.getMessage().contains("closed the receiver")) {
            violate(this + " failed though nothing has: " + e.getMessage());
        }
    }

    // ---- what it is told ----

    private void hear(String line) {
        switch (line) {
            case "report" -> report();
            case "disturb" -> disturb();
            case "end" -> isEnding = true;
            default -> throw new IllegalArgumentException("what is '" + line + "'?");
        }
    }

    private void disturb() {
        isDisturbed = true;
        if (agenda.disturbance() == Agenda.Disturbance.ABORT) {
            host.device().abort("enough");
        } else {
            closeAll();
        }
    }

    private void report() {
        for (int i = 0; i < agenda.streams().size(); i++) {
            SendingEnd sender = senders.get(i);
            ReceivingEnd receiver = receivers.get(i);
            if (sender != null) {
                boolean isAllOffered = sender.offered() == agenda.streams().get(i).count() || sender.isClosed();
                out.println("sender " + i + " " + new EndReport(sender.isConnected(), sender.offered(),
                        isAllOffered && sender.ended() == sender.offered(), sender.isClosed(),
                        sender.failure() != null).encode());
            }
            if (receiver != null) {
                out.println("receiver " + i + " " + new EndReport(receiver.isAnnounced(), receiver.received(), true,
                        receiver.isClosed(), receiver.failure() != null).encode());
            }
        }
        out.println("group " + group.isDone() + " " + group.succeeded());
        boolean isCopying = false;
        for (int i = 0; i < agenda.devices(); i++) {
            isCopying |= host.isCopying(i);
        }
        if ((actions.isEmpty() || isDisturbed) && !isCopying) {
            out.println("acted");
        }
        out.println("reported");
    }

    private void closeAll() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        group.close();
        for (int i = 0; i < agenda.streams().size(); i++) {
            if (senders.get(i) != null) {
                senders.get(i).close();
                senders.get(i).checkCallbacks();
            }
            if (receivers.get(i) != null) {
                receivers.get(i).close();
            }
        }
        host.close();
        group.checkEnd();
    }

    // ---- its world ----

    @Override
    public long nowNs() {
        return System.nanoTime();
    }

    @Override
    public Random random() {
        return random;
    }

    @Override
    public void violate(String what) {
        violations.add(what);
    }

    @Override
    public boolean isMemorySure() {
        return true;
    }

    /** In a process of its own; the only argument is the fabric. */
    public static void main(String[] arguments) {
        // Standard output is for its lines alone.
        PrintStream lines = System.out;
        System.setOut(System.err);
        try {
            run(new BufferedReader(new InputStreamReader(System.in)), new PrintStream(lines, true),
                    RdmaDeviceOptions.defaults().withFabric(arguments[0]).withNetwork(TestNetwork.ofEnvironment()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String toString() {
        return host == null ? "d" + number : host.toString();
    }
}
