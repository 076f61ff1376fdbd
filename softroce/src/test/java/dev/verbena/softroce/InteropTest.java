package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Our rping and rdma-core's between two hosts, each as server once. Within one host, see InteropOnDevice. */
class InteropTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final String OURS = "'" + Path.of(System.getProperty("java.home"), "bin", "java")
            + "' --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
            + Guests.HOME.resolve("bindings/target/classes") + ":" + Guests.HOME.resolve("bindings/target/test-classes")
            + "' dev.verbena.verbs.examples.Rping";
    private static final String OPTIONS = "-C 10 -S 5000 -v -V";

    @Test
    void rpingBetweenTwoHosts() throws Exception {
        List<GuestRun> runs = Guests.pair("set -e; timeout 120 " + OURS + " -s -e -a 192.0.2.1 -p 7001 " + OPTIONS
                + "; timeout 120 rping -s -a 192.0.2.1 -p 7002 " + OPTIONS,
                until("rping -c -a 192.0.2.1 -p 7001 " + OPTIONS)
                        + until(OURS + " -c -e -a 192.0.2.1 -p 7002 " + OPTIONS),
                TIMEOUT);
        for (GuestRun run : runs) {
            String output = run.assertSucceeded().output();
            assertEquals(2, output.split("ping data: rdma-ping-9: ", -1).length - 1, output);
        }
    }

    /** The server says nothing when it listens. */
    private static String until(String client) {
        return "tries=0; until " + client + "; do [ $((tries += 1)) -lt 50 ] || exit 1; sleep 0.2; done\n";
    }
}
