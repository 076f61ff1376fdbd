package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.nio.file.Files;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** A test that does not say its own deadline has that of the parent's build file, and is ended by it. */
class DeadlineTest {
    private static final String PARAMETER = "junit.jupiter.execution.timeout.default";
    private static final Pattern IN_BUILD_FILE = Pattern.compile("<verbena\\.testDeadline>([^<]+)</");
    private static String given;

    @RegisterExtension
    static final BeforeAllCallback READS_WHAT_THIS_RUN_WAS_GIVEN = context -> given = context
            .getConfigurationParameter(PARAMETER).orElse("none");

    @Test
    void thisRunHasTheDefault() throws Exception {
        Matcher deadline = IN_BUILD_FILE.matcher(Files.readString(Repository.root().resolve("pom.xml")));
        assertTrue(deadline.find(), "the parent's build file names the default");
        assertEquals(deadline.group(1), given);
    }

    @Test
    void whatHangsIsEndedAndNamed() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(HangsInTest.class), selectClass(HangsBefore.class))
                .configurationParameter(PARAMETER, "10 ms").build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        assertEquals(Set.of("waitsForNobody() timed out after 10 milliseconds",
                "waitsForNobodyEither() timed out after 10 milliseconds"),
                listener.getSummary().getFailures().stream().map(TestExecutionSummary.Failure::getException)
                        .map(Throwable::getMessage).collect(Collectors.toSet()));
    }

    /** Not taken for a test by the build, as its name does not say that it is one. */
    static class HangsInTest {
        @Test
        void waitsForNobody() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    /** Likewise. */
    static class HangsBefore {
        @BeforeEach
        void waitsForNobodyEither() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Test
        void isNotReached() {}
    }
}
