package dev.verbena.cli;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import dev.verbena.cli.grpc.GrpcCarrier;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.training.CheckpointException;
import dev.verbena.training.Training;
import dev.verbena.training.TrainingData;
import dev.verbena.training.TrainingException;
import dev.verbena.training.TrainingOptions;
import dev.verbena.training.TrainingResult;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TransferException;

/**
 * One task of a cluster from its device to its end. A lost peer, a broken transfer and an order to abort all end the process the
 * same way, once: it says why, tells its own peers, and halts.
 *
 * <p>Owner: the command. Threading: runs on one thread; {@link #giveUp} from any.
 */
final class Task {
    private static final long FAREWELL_TIMEOUT_MILLIS = 500;
    /**
     * What breaks first is often not the cause: a peer that gives up itself takes its memory away before it says why. So a failed
     * transfer waits so long for a better word, which ends the process meanwhile.
     */
    static final long BETTER_WORD_MILLIS = 1_000;

    private final String name;
    private final TaskLink link;
    private final Timer timer;
    private final WaitNotices notices;
    private final AtomicBoolean hasGivenUp = new AtomicBoolean();
    private final AtomicReference<RdmaDevice> device = new AtomicReference<>();
    private volatile FinishLine finishLine;

    Task(String name, TaskLink link, Timer timer, WaitNotices notices) {
        this.name = name;
        this.link = link;
        this.timer = timer;
        this.notices = notices;
    }

    /** @param carriesByGrpc whether tensors go as messages of gRPC */
    void run(RdmaDeviceOptions deviceOptions, TrainingOptions options, boolean carriesByGrpc, TrainingData data) {
        try (RdmaDevice opened = open(deviceOptions);
                GrpcCarrier carrier = carriesByGrpc ? new GrpcCarrier(opened, options.timeout()) : null) {
            device.set(opened);
            opened.onPeerLost(this::onPeerLost);
            link.tell(new TaskMessage.Listening(opened.endpoint()));
            try {
                train(options, data, opened, carrier);
            } catch (TransferException | OutOfArenaMemoryException e) {
                // Before the device is closed: a peer must not take this for an orderly end.
                awaitBetterWord();
                giveUp(Complaint.of(e));
            } catch (TrainingException | CheckpointException e) {
                giveUp(Complaint.of(e));
            } catch (RuntimeException e) {
                e.printStackTrace();
                giveUp("defect: " + e);
            }
        }
    }

    private void train(TrainingOptions options, TrainingData data, RdmaDevice opened, GrpcCarrier carrier) {
        Map<String, Endpoint> cluster = link.awaitCluster();
        finishLine = new FinishLine(opened, name, cluster);
        TrainingResult result = Training.task(options, data, name, cluster, opened, carrier,
                new TaskProgress(options.iterations(), timer, notices, link::tell,
                        cause -> giveUp(Complaint.of(cause))));
        try (WaitNotices.Notice _ = notices.begin(finishLine::waitingFor, "", WaitNotices.NO_LIMIT)) {
            finishLine.cross();
        }
        link.tell(new TaskMessage.Finished(TaskReport.of(result)));
    }

    /** Ends the process: tells whoever it reports to and its peers, and leaves. The first cause is the one told. */
    void giveUp(String cause) {
        if (!hasGivenUp.compareAndSet(false, true)) {
            return;
        }
        link.tell(new TaskMessage.Failed(false, cause));
        RdmaDevice opened = device.get();
        if (opened != null) {
            Thread farewell = Thread.ofPlatform().daemon().name("farewell").start(() -> opened.abort(cause));
            try {
                farewell.join(FAREWELL_TIMEOUT_MILLIS);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }
        Runtime.getRuntime().halt(ExitStatus.FAILED);
    }

    private static void awaitBetterWord() {
        try {
            TimeUnit.MILLISECONDS.sleep(BETTER_WORD_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private RdmaDevice open(RdmaDeviceOptions options) {
        try (WaitNotices.Notice _ = notices.begin(() -> "opening a device", "", WaitNotices.NO_LIMIT)) {
            return RdmaDevice.create(options);
        } catch (TransferException | IllegalArgumentException e) {
            throw new BadInputException(Complaint.of(e));
        }
    }

    /** Called on a poller, which {@link #giveUp} needs for its farewell: so on a thread of its own. */
    private void onPeerLost(String sentence) {
        FinishLine line = finishLine;
        if (line == null || !line.mayLeave(sentence)) {
            Thread.ofPlatform().daemon().name("peer-lost").start(() -> giveUp(sentence));
        }
    }
}
