package dev.verbena.transfer.engine;

import org.agrona.concurrent.Agent;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that drives an engine (EuroSys'19 §3.1: one per completion queue): spins, then sleeps until the fabric has something.
 *
 * <p><b>Owner:</b> {@link Engines}, which starts and closes it. <b>Threading:</b> {@link #close} is thread-safe; all else is its own
 * thread's.
 */
final class Poller implements Agent, IdleStrategy, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    private static final long SLEEP_NS = 100_000_000L;

    private final String name;
    private final Engine engine;
    private final int spinsMax;
    private final AgentRunner runner;
    private volatile boolean isClosed;
    private int spins;

    /** It sleeps after {@code spinsMax} rounds without work. */
    Poller(String name, Engine engine, int spinsMax) {
        this.name = name;
        this.engine = engine;
        this.spinsMax = spinsMax;
        this.runner = new AgentRunner(this, error -> LOG.error("poller {} failed", name, error), null, this);
    }

    void start() {
        AgentRunner.startOnThread(runner, task -> {
            Thread started = new Thread(task, name);
            started.setDaemon(true);
            return started;
        });
    }

    @Override
    public String roleName() {
        return name;
    }

    @Override
    public int doWork() {
        return engine.progress();
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            spins = 0;
        } else {
            idle();
        }
    }

    @Override
    public void idle() {
        if (spins < spinsMax) {
            spins++;
            Thread.onSpinWait();
        } else if (!isClosed) {
            spins = 0;
            engine.sleep(SLEEP_NS, Engine.ANY_ACTIVITY);
        }
    }

    @Override
    public void reset() {
        spins = 0;
    }

    /** Ends the thread. Idempotent. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            engine.wake();
            runner.close();
        }
    }
}
