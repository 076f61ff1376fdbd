package dev.verbena.cli;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/**
 * Starts a process for each task, introduces them to each other, and sees to it that all of them end: with their work done, or
 * because one is lost. No task outlives its launcher: it ends when its standard input does.
 *
 * <p>Owner: the command. Threading: confined to one thread; tasks report through a queue.
 */
final class Launcher {
    /** Where a run stands. */
    private enum Phase {
        /** Tasks come up and say where they listen. */
        STARTING,
        /** They know each other and train. */
        RUNNING,
        /** All have finished and close their devices. */
        FINISHING,
        /** One is lost: the others end by themselves, then are told to, then are made to. */
        ABORTING,
        /** No process is left. */
        ENDED
    }

    private static final Map<Phase, Set<Phase>> MOVES = new EnumMap<>(
            Map.of(Phase.STARTING, Set.of(Phase.RUNNING, Phase.ABORTING), Phase.RUNNING,
                    Set.of(Phase.FINISHING, Phase.ABORTING), Phase.FINISHING, Set.of(Phase.ENDED, Phase.ABORTING),
                    Phase.ABORTING, Set.of(Phase.ENDED), Phase.ENDED, Set.of()));

    private static final long START_TIMEOUT_MILLIS = 300_000;
    private static final long FINISH_TIMEOUT_MILLIS = 60_000;
    /**
     * Devices notice a lost peer at once; who has not even connected to it hears of it from the launcher, before it has stopped
     * waiting for that ({@link Task#BETTER_WORD_MILLIS}).
     */
    private static final long TELL_AFTER_MILLIS = 500;
    private static final long KILL_AFTER_MILLIS = 3_500;
    private static final long LAST_WAIT_MILLIS = 2_000;

    private final List<TaskProcess> tasks = new CopyOnWriteArrayList<>();
    private final BlockingQueue<TaskProcess.Event> events = new LinkedBlockingQueue<>();
    private final Map<TaskProcess, Endpoint> endpoints = new LinkedHashMap<>();
    private final Map<TaskProcess, TaskReport> reports = new LinkedHashMap<>();
    private final Set<TaskProcess> ended = new LinkedHashSet<>();
    private final Set<TaskProcess> explained = new LinkedHashSet<>();
    private final ProgressLine progress;
    private final WaitNotices notices;
    private final Thread hook = new Thread(this::interrupted, "launcher-shutdown");
    private volatile boolean isInterrupted;
    /** Whom this phase waits for, in words; read by the notices' thread. */
    private volatile String missing = "";
    private Phase phase = Phase.STARTING;
    private long phaseStartNs;
    private boolean isTold;
    private String firstCause;
    private String badInput;

    Launcher(ProgressLine progress, WaitNotices notices) {
        this.progress = progress;
        this.notices = notices;
    }

    /**
     * Runs the commands, one for each task name.
     *
     * @return the tasks' reports in the order of the names
     * @throws BadInputException if a task could not start for something that the user can put right
     * @throws FailedRunException if a task was lost; which and how has been printed
     */
    List<TaskReport> run(Map<String, List<String>> commands) {
        phaseStartNs = System.nanoTime();
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            commands.forEach(this::start);
            while (phase != Phase.ENDED) {
                live(phase);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted");
        } finally {
            progress.clear();
            killAll();
        }
        if (isInterrupted) {
            throw new FailedRunException(null);
        }
        forgetHook();
        if (badInput != null) {
            throw new BadInputException(badInput);
        }
        if (firstCause != null) {
            throw new FailedRunException("training failed: " + firstCause + "; all its processes have ended");
        }
        return tasks.stream().map(reports::get).toList();
    }

    /** Until the phase is over. */
    private void live(Phase present) throws InterruptedException {
        try (WaitNotices.Notice _ = notice()) {
            while (phase == present) {
                TaskProcess.Event event = events.poll(millisToNextDeadline(), TimeUnit.MILLISECONDS);
                if (event == null) {
                    onDeadline();
                } else {
                    on(event.task(), event.message());
                }
            }
        }
    }

    /** Nothing while they train: they say themselves whom they wait for. Nothing where one is lost: that has been said. */
    private WaitNotices.Notice notice() {
        updateMissing();
        return switch (phase) {
            case STARTING -> notices.begin(() -> "waiting for " + missing + " to come up", "",
                    TimeUnit.MILLISECONDS.toNanos(START_TIMEOUT_MILLIS));
            case FINISHING -> notices.begin(() -> "waiting for " + missing + " to end", "",
                    TimeUnit.MILLISECONDS.toNanos(FINISH_TIMEOUT_MILLIS));
            case RUNNING, ABORTING, ENDED -> null;
        };
    }

    private void updateMissing() {
        missing = tasks.stream().filter(phase == Phase.STARTING ? task -> !endpoints.containsKey(task)
                : task -> !ended.contains(task)).map(TaskProcess::title).collect(Collectors.joining(", "));
    }

    private synchronized void start(String name, List<String> command) {
        if (!isInterrupted) {
            tasks.add(TaskProcess.start(name, command, events::add, progress::above));
        }
    }

    private void on(TaskProcess task, TaskMessage message) {
        switch (message) {
            case null -> onEnd(task);
            case TaskMessage.Listening(Endpoint endpoint) -> onListening(task, endpoint);
            case TaskMessage.Progress latest -> progress.update(task.name(), latest);
            case TaskMessage.Validated(Validation measured) -> progress.validated(measured);
            case TaskMessage.Finished(TaskReport report) -> onFinished(task, report);
            case TaskMessage.Failed failed -> onFailed(task, failed);
        }
    }

    private void onListening(TaskProcess task, Endpoint endpoint) {
        endpoints.put(task, endpoint);
        updateMissing();
        if (phase == Phase.STARTING && endpoints.size() == tasks.size()) {
            Map<String, Endpoint> cluster = new LinkedHashMap<>();
            tasks.forEach(each -> cluster.put(each.name(), endpoints.get(each)));
            tasks.forEach(each -> each.order(new LauncherOrder.Start(cluster)));
            move(Phase.RUNNING);
        }
    }

    private void onFinished(TaskProcess task, TaskReport report) {
        reports.put(task, report);
        if (phase == Phase.RUNNING && reports.size() == tasks.size()) {
            move(Phase.FINISHING);
        }
    }

    private void onFailed(TaskProcess task, TaskMessage.Failed failed) {
        explained.add(task);
        if (phase == Phase.STARTING && failed.badInput()) {
            badInput = failed.sentence();
            abort(badInput);
        } else {
            complain(task.name() + ": " + failed.sentence());
            abort(task.name() + ": " + failed.sentence());
        }
    }

    private void onEnd(TaskProcess task) {
        ended.add(task);
        updateMissing();
        // The first of all to end may be heard of before the last has reported.
        boolean isDone = reports.containsKey(task) && task.status() == 0;
        if (!isDone && explained.add(task)) {
            complain(task.describeEnd());
            abort(task.describeEnd());
        }
        if (ended.size() == tasks.size()) {
            move(Phase.ENDED);
        }
    }

    private void onDeadline() {
        switch (phase) {
            case STARTING -> abort("not every task was up after " + START_TIMEOUT_MILLIS / 1000 + " s");
            case FINISHING ->
                abort("not every task had closed its device after " + FINISH_TIMEOUT_MILLIS / 1000 + " s");
            case ABORTING -> {
                if (!isTold) {
                    isTold = true;
                    survivors().forEach(task -> task.order(new LauncherOrder.Abort(firstCause)));
                } else {
                    killSurvivors("did not end by itself and was killed: " + firstCause);
                }
            }
            case RUNNING, ENDED -> {
                // These end by events only.
            }
        }
    }

    private void abort(String cause) {
        if (phase == Phase.ABORTING || phase == Phase.ENDED) {
            return;
        }
        boolean hadBegun = phase != Phase.STARTING;
        firstCause = cause;
        move(Phase.ABORTING);
        if (!hadBegun) {
            // They know of nobody, and nobody of them: there is nothing to be said to each other.
            killSurvivors("ended before it began: " + cause);
        }
    }

    private void killSurvivors(String why) {
        for (TaskProcess task : survivors()) {
            if (explained.add(task)) {
                complain(task.name() + ": " + why);
            }
            task.kill();
        }
    }

    private void move(Phase next) {
        if (!MOVES.get(phase).contains(next)) {
            throw new IllegalStateException("launcher cannot go from " + phase + " to " + next);
        }
        phase = next;
        phaseStartNs = System.nanoTime();
    }

    private long millisToNextDeadline() {
        long limit = switch (phase) {
            case STARTING -> START_TIMEOUT_MILLIS;
            case RUNNING, ENDED -> Long.MAX_VALUE;
            case FINISHING -> FINISH_TIMEOUT_MILLIS;
            case ABORTING -> isTold ? KILL_AFTER_MILLIS : TELL_AFTER_MILLIS;
        };
        long passed = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - phaseStartNs);
        return Math.max(1, limit - passed);
    }

    private List<TaskProcess> survivors() {
        List<TaskProcess> survivors = new ArrayList<>(tasks);
        survivors.removeAll(ended);
        return survivors;
    }

    private void complain(String sentence) {
        if (!isInterrupted && badInput == null) {
            progress.above(Complaint.format(sentence));
        }
    }

    private void killAll() {
        tasks.forEach(TaskProcess::kill);
        tasks.forEach(task -> task.awaitEnd(LAST_WAIT_MILLIS));
    }

    /** Ctrl-C and its like: the JVM is ending, with a status that says so, and takes the tasks along. */
    private void interrupted() {
        synchronized (this) {
            isInterrupted = true;
        }
        killAll();
        progress.clear();
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // Too late: it runs already, and finds nothing to do.
        }
    }
}
