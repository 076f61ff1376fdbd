package dev.verbena.testing.sim;

import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * One call of {@code connect}.
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
 * <p><b>Owner:</b> the call. <b>Threading:</b> confined to the simulation.
 */
final class Handshake {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Who was welcomed and says nothing for so long is given up. */
    private static final long READY_NS = TimeUnit.SECONDS.toNanos(10);

    private final Simulation simulation;
    private final SimFabric initiator;
    private final Endpoint remote;
    private final List<QueuePairOptions> options;
    private SimFabric target;
    private SimConnection targetSide;
    private SimConnection connection;
    private String refusal;
    private boolean isGivenUp;

    Handshake(Simulation simulation, SimFabric initiator, Endpoint remote, List<QueuePairOptions> options) {
        this.simulation = simulation;
        this.initiator = initiator;
        this.remote = remote;
        this.options = options;
    }

    /** @throws TransferException on refusal or when time is up */
    SimConnection connect(long timeoutNs) {
        long startNs = simulation.nanoTime();
        look();
        simulation.runUntil(() -> connection != null || refusal != null || !initiator.isUsable(), timeoutNs);
        if (connection == null) {
            isGivenUp = true;
            initiator.checkOpen();
            initiator.checkNotGivingUp(remote);
            long waitedMs = TimeUnit.NANOSECONDS.toMillis(simulation.nanoTime() - startNs);
            throw failure(refusal != null ? refusal : target == null ? "nobody listens there for " + waitedMs + " ms"
                    : "no answer to the handshake for " + waitedMs + " ms");
        }
        return connection;
    }

    private TransferException failure(String why) {
        return new TransferException("cannot connect to " + remote + ": " + why);
    }

    private void look() {
        simulation.later("looks for " + remote, () -> {
            SimFabric found = simulation.network().at(remote);
            if (isGivenUp) {
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
        ConnectionHandler handler = target.handler();
        if (!target.isUsable() || handler == null) {
            refuse(target.refusal());
            return;
        }
        try {
            List<QueuePairOptions> own = List.copyOf(handler.onRequest(initiator.localName(), options.size()));
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
        simulation.later("REFUSE of " + target, () -> initiator.process().hear(() -> refusal = "refused: " + why));
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
        if (isGivenUp || !initiator.isUsable()) {
            simulation.later("nobody waits any more for " + target, this::endUnlessReady);
            return;
        }
        SimConnection made;
        try {
            RequestRules.check(options, initiator);
            made = new SimConnection(simulation, initiator, target, options);
        } catch (IllegalArgumentException e) {
            refusal = e.getMessage();
            simulation.later("nobody waits any more for " + target, this::endUnlessReady);
            return;
        }
        made.join(targetSide);
        made.open();
        initiator.adopt(made);
        made.send("READY of " + initiator, this::onReady);
        connection = made;
    }
}
