package dev.verbena.testing.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * One call of {@code connect}; its handler hears how it ends.
 *
 * <pre>
 *   initiator          target
 *      │ looks for who listens, again and again
 *      ├──── HELLO ───────►│  its handler is asked
 *      │◄─ WELCOME/REFUSE ─┤
 *   connected              │
 *      ├──── READY ───────►│  its handler is told
 * </pre>
 *
 * <p><b>Owner:</b> the fabric that connects. <b>Threading:</b> confined to the simulation.
 */
final class Handshake {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Who was welcomed and says nothing for so long is given up. */
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(10);

    private final Simulation simulation;
    private final SimFabric initiator;
    private final Endpoint remote;
    private final List<QueuePairOptions> options;
    private final ConnectHandler handler;
    private final long startNs;
    private EventQueue.Event deadline;
    private SimFabric target;
    private SimConnection targetSide;
    private boolean isOver;

    Handshake(Simulation simulation, SimFabric initiator, Endpoint remote, List<QueuePairOptions> options,
            ConnectHandler handler) {
        this.simulation = simulation;
        this.initiator = initiator;
        this.remote = remote;
        this.options = options;
        this.handler = handler;
        startNs = simulation.nanoTime();
    }

    void begin(long timeoutNs) {
        deadline = simulation.due(timeoutNs, initiator + " waits no longer for " + remote,
                () -> initiator.process().hear(this::onDeadline));
        if (!initiator.isUsable()) {
            simulation.later(initiator + " connects nobody", () -> initiator.process().hear(this::onRefusal));
        } else if (!simulation.network().isKnown(remote.host())) {
            simulation.later("no host " + remote.host(), () -> initiator.process().hear(() -> end("unknown host")));
        } else {
            look();
        }
    }

    private void onDeadline() {
        long waitedMs = TimeUnit.NANOSECONDS.toMillis(simulation.nanoTime() - startNs);
        end((target == null ? "nobody listens there for " : "no answer to the handshake for ") + waitedMs + " ms");
    }

    /** The initiator connects nobody any more. */
    void onRefusal() {
        end(initiator.refusal());
    }

    private void end(String why) {
        if (conclude()) {
            handler.onFailed(new TransferException("cannot connect to " + remote + ": " + why));
        }
    }

    /** @return whether it was not over yet */
    private boolean conclude() {
        if (isOver) {
            return false;
        }
        isOver = true;
        deadline.cancel();
        initiator.forget(this);
        return true;
    }

    private void look() {
        simulation.later("looks for " + remote, () -> {
            SimFabric found = simulation.network().at(remote);
            if (isOver) {
                return;
            }
            if (found == null || !initiator.process().reaches(found.process())) {
                simulation.schedule(RETRY_NS, "looks again for " + remote, this::look);
                return;
            }
            target = found;
            simulation.later("HELLO to " + remote, () -> {
                if (initiator.process().reaches(target.process())) {
                    target.process().hear(this::onHello);
                }
            });
        });
    }

    // ---- the target's side ----

    private void onHello() {
        ConnectionHandler asked = target.handler();
        if (!target.isUsable() || asked == null) {
            refuse(target.refusal());
            return;
        }
        try {
            List<QueuePairOptions> own = List.copyOf(asked.onRequest(initiator.localName(), options.size()));
            if (own.size() != options.size()) {
                throw new IllegalArgumentException(
                        "handler made " + own.size() + " queue pairs of " + options.size());
            }
            RequestRules.check(own, target);
            targetSide = new SimConnection(simulation, target, initiator, own);
        } catch (RuntimeException e) {
            refuse(e.getMessage());
            return;
        }
        target.adopt(targetSide);
        targetSide.send("WELCOME of " + target, this::onWelcome);
        simulation.schedule(READY_NS, "READY is due at " + target, this::endUnlessReady);
    }

    private void refuse(String why) {
        simulation.later("REFUSE of " + target, () -> initiator.process().hear(() -> end("refused: " + why)));
    }

    private void endUnlessReady() {
        if (targetSide.isWelcomed()) {
            targetSide.lose(false, "it did not end the handshake in time");
        }
    }

    private void onReady() {
        if (!targetSide.isWelcomed()) {
            // Given up meanwhile, which the initiator may not have been reached by.
            targetSide.tell("RESET of " + target,
                    made -> made.lose(false, made.peerInWords() + " gave the connection up"));
            return;
        }
        targetSide.open();
        try {
            target.handler().onAccepted(targetSide);
        } catch (RuntimeException e) {
            targetSide.abort("cannot use the connection: " + e.getMessage());
        }
    }

    // ---- the initiator's ----

    private void onWelcome() {
        if (isOver) {
            simulation.later("nobody waits any more for " + target, this::endUnlessReady);
            return;
        }
        SimConnection made;
        try {
            RequestRules.check(options, initiator);
            made = new SimConnection(simulation, initiator, target, options);
        } catch (IllegalArgumentException e) {
            simulation.later("nobody waits any more for " + target, this::endUnlessReady);
            end(e.getMessage());
            return;
        }
        conclude();
        made.join(targetSide);
        made.open();
        initiator.adopt(made);
        made.send("READY of " + initiator, this::onReady);
        try {
            handler.onConnected(made);
        } catch (RuntimeException e) {
            made.abort("cannot use the connection: " + e.getMessage());
        }
    }
}
