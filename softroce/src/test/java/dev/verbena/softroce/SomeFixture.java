package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests that end in every way there is, for {@link OnDeviceReportTest}. Surefire does not take them for tests. */
final class SomeFixture {
    private SomeFixture() {}

    static class Mixed {
        @Test
        void passes() {
            assertTrue(true);
        }

        @Test
        void fails() {
            assertEquals("right", "wrong");
        }

        @Test
        void isSkipped() {
            Assumptions.abort("the device has no windows");
        }
    }

    static class NeverStarts {
        @BeforeAll
        static void fails() {
            throw new IllegalStateException("no device");
        }

        @Test
        void isNotReached() {
            throw new AssertionError("reached");
        }
    }

    static class Crashes {
        @Test
        void haltsTheJvm() {
            System.out.println("about to crash");
            System.out.flush();
            Runtime.getRuntime().halt(66);
        }
    }

    static class Hangs {
        @Test
        void waitsForNobody() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    static class HasNoTest {}
}
