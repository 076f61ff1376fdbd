package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the fabric can do on soft-iWARP is measured as on any device, and what it cannot do is said before anything is measured. */
class PerfOnSiwTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(11);
    private static final String TENSOR = "timeout 600 ./verbena perf tensor --protocol=static,dynamic --sizes=8,4K --fabric=verbs -d %1$s -n 10 --warm-up=0";
    private static final String PERF = "timeout 600 ./verbena perf $test --fabric=verbs -d siw0 -n 200 --warm-up=0";

    /** Guests are slow, and what they build is thrown away. */
    @BeforeAll
    static void buildTheProgram() throws Exception {
        ProgramBuild.run();
    }

    @Test
    void writesAndSendsAreMeasuredAndAtomicsRefused() throws Exception {
        Guests.assumeTheyHave("siw0");
        GuestRun run = Guests.run("""
                export JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1
                for test in write_bw send_lat; do
                  %1$s > /tmp/server & server=$!
                  %1$s host1-siw0 || exit 1
                  wait $server || exit 1
                done
                test=atomic_lat
                %1$s
                echo status=$?
                """.formatted(PERF), TIMEOUT).assertSucceeded();
        List<String> rows = run.output().lines().map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length >= 5 && words[1].equals("200")).map(words -> words[0]).toList();
        assertEquals(List.of("65536", "2"), rows, run.output());
        assertEquals(1, run.output().lines().filter(line -> line.contains("has no atomics to measure")).count(),
                run.output());
        assertEquals("status=2", run.output().lines().reduce((_, last) -> last).orElseThrow(), run.output());
    }

    /** Whatever the device: on siw0 arrival is no immediate, and on neither a CPU of a process moves a byte. */
    @ParameterizedTest
    @CsvSource({"rxe0, host1", "siw0, host1-siw0"})
    void tensorsAreMeasured(String device, String host) throws Exception {
        Guests.assumeTheyHave(device);
        String tensor = TENSOR.formatted(device);
        GuestRun run = Guests.run("""
                export JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1
                %1$s > /tmp/server & server=$!
                %1$s %2$s || { cat /tmp/server; exit 1; }
                wait $server || { cat /tmp/server; exit 1; }
                """.formatted(tensor, host), TIMEOUT).assertSucceeded();
        List<String> rows = run.output().lines().map(line -> line.strip().split("\\s+"))
                .filter(words -> words.length > 3 && words[2].equals("10"))
                .map(words -> words[0] + " " + words[1] + " " + words[words.length - 1])
                .toList();
        assertEquals(List.of("8 static 0", "8 dynamic 0", "4096 static 0", "4096 dynamic 0"), rows, run.output());
    }
}
