package dev.verbena.cli;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.verbena.training.TrainingListener;
import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/**
 * How one task's training goes: its iterations told now and then, and for whom it waits where that takes long.
 *
 * <p>Owner: the task. Threading: confined to the training thread.
 */
final class TaskProgress implements TrainingListener {
    private static final long PERIOD_NS = 200_000_000;
    private static final String ADVICE = "see what that task says";

    private final int iterations;
    private final Timer timer;
    private final WaitNotices notices;
    private final Consumer<TaskMessage> tell;
    private final Consumer<RuntimeException> fail;
    private final WaitMarks idle = new WaitMarks();
    private WaitNotices.Notice awaited;
    private long lastNs;

    TaskProgress(int iterations, Timer timer, WaitNotices notices, Consumer<TaskMessage> tell,
            Consumer<RuntimeException> fail) {
        this.iterations = iterations;
        this.timer = timer;
        this.notices = notices;
        this.tell = tell;
        this.fail = fail;
        lastNs = timer.nowNs();
    }

    @Override
    public void onIteration(int iteration, double loss, double imagesPerSecond) {
        long nowNs = timer.nowNs();
        if (nowNs - lastNs >= PERIOD_NS || iteration == iterations - 1) {
            lastNs = nowNs;
            tell.accept(new TaskMessage.Progress(iteration, loss, imagesPerSecond));
        }
    }

    @Override
    public void onValidation(Validation measured) {
        tell.accept(new TaskMessage.Validated(measured));
    }

    @Override
    public void onFailure(RuntimeException cause) {
        fail.accept(cause);
    }

    @Override
    public void onPeerAwaited(String task, Endpoint endpoint, Duration timeout) {
        onPeerAnswered();
        awaited = notices.begin(() -> "waiting for " + task + " at " + endpoint,
                "start it there with the same options, or " + ADVICE, timeout.toNanos());
    }

    @Override
    public void onPeerAnswered() {
        if (awaited != null) {
            awaited.close();
            awaited = null;
        }
    }

    @Override
    public void onIdle(long waitedNs, long leftNs, Supplier<String> forWhat) {
        if (idle.isReached(waitedNs)) {
            notices.say("waiting for " + forWhat.get(), ADVICE, waitedNs, leftNs);
        }
    }
}
