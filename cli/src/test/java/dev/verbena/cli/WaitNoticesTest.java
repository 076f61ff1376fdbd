package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;

/** What takes long is said, by the clock that was injected. */
class WaitNoticesTest {
    private final ManualTimer timer = new ManualTimer();
    private final List<String> said = new ArrayList<>();
    private final WaitNotices notices = new WaitNotices(timer, said::add);

    @Test
    void whatIsOverInTimeIsNotSpokenOf() {
        try (WaitNotices.Notice _ = notices.begin(() -> "waiting", "", WaitNotices.NO_LIMIT)) {
            advanceMillis(3_999);
        }
        advanceMillis(1_000_000);
        assertEquals(List.of(), said);
        assertEquals(0, timer.pendingCount());
    }

    @Test
    void aWaitIsSaidWithinFiveSecondsAndAgainNowAndThen() {
        try (WaitNotices.Notice _ = notices.begin(() -> "waiting for host1:1", "start it", 30_000_000_000L)) {
            advanceMillis(5_000);
            assertEquals(List.of("still waiting for host1:1, for 4 s, 26 s more at most; start it"), said);
            advanceMillis(24_000);
        }
        assertEquals(List.of("still waiting for host1:1, for 4 s, 26 s more at most; start it",
                "still waiting for host1:1, for 8 s, 22 s more at most; start it",
                "still waiting for host1:1, for 16 s, 14 s more at most; start it"), said);
    }

    @Test
    void aWaitWithoutEndIsSaidEachMinuteAtLeast() {
        try (WaitNotices.Notice _ = notices.begin(() -> "waiting " + said.size(), "", WaitNotices.NO_LIMIT)) {
            advanceMillis(250_000);
        }
        assertEquals(List.of("still waiting 0, for 4 s", "still waiting 1, for 8 s", "still waiting 2, for 16 s",
                "still waiting 3, for 32 s", "still waiting 4, for 64 s", "still waiting 5, for 124 s",
                "still waiting 6, for 184 s", "still waiting 7, for 244 s"), said);
    }

    /** A machine that slept, or a thread that was not run. */
    @Test
    void whatWasMissedIsSaidOnce() {
        WaitMarks marks = new WaitMarks();
        assertFalse(marks.isReached(3_999_999_999L));
        assertTrue(marks.isReached(20_000_000_000L));
        assertFalse(marks.isReached(20_000_000_001L));
        assertFalse(marks.isReached(1), "another wait");
        assertTrue(marks.isReached(4_000_000_000L));
    }

    @Test
    void aTaskSaysForWhomItWaits() {
        List<TaskMessage> told = new ArrayList<>();
        TaskProgress progress = new TaskProgress(10, timer, notices, told::add, _ -> {});
        progress.onPeerAwaited("server:0", new Endpoint("host1", 7000), Duration.ofSeconds(30));
        advanceMillis(4_000);
        progress.onPeerAwaited("server:1", new Endpoint("host2", 7001), Duration.ofSeconds(60));
        advanceMillis(4_000);
        progress.onPeerAnswered();
        advanceMillis(4_000);
        assertEquals(List.of(
                "still waiting for server:0 at host1:7000, for 4 s, 26 s more at most; start it there with the same"
                        + " options, or see what that task says",
                "still waiting for server:1 at host2:7001, for 4 s, 56 s more at most; start it there with the same"
                        + " options, or see what that task says"),
                said);
        said.clear();
        for (long waitedMillis : new long[]{3_000, 4_001, 4_002, 7_000, 8_001, 1, 5_000}) {
            progress.onIdle(waitedMillis * 1_000_000, (60_000 - waitedMillis) * 1_000_000, () -> "task=server:0");
        }
        assertEquals(List.of("still waiting for task=server:0, for 4 s, 56 s more at most; see what that task says",
                "still waiting for task=server:0, for 8 s, 52 s more at most; see what that task says",
                "still waiting for task=server:0, for 5 s, 55 s more at most; see what that task says"), said);
        assertEquals(List.of(), told);
    }

    @Test
    void progressIsToldNowAndThenAndAtTheEnd() {
        List<TaskMessage> told = new ArrayList<>();
        TaskProgress progress = new TaskProgress(10, timer, notices, told::add, _ -> {});
        for (int i = 0; i < 10; i++) {
            advanceMillis(90);
            progress.onIteration(i, 0.5, 100);
        }
        assertEquals(List.of(2, 5, 8, 9),
                told.stream().map(each -> ((TaskMessage.Progress) each).iteration()).toList());
    }

    private void advanceMillis(long millis) {
        timer.advance(TimeUnit.MILLISECONDS.toNanos(millis));
    }
}
