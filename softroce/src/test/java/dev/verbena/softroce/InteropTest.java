package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Our programs and rdma-core's between two hosts, each in both roles. Within one host, see InteropOnDevice. */
class InteropTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final String EXAMPLES = "'" + Path.of(System.getProperty("java.home"), "bin", "java")
            + "' --enable-native-access=ALL-UNNAMED -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp '"
            + Guests.HOME.resolve("bindings/target/classes") + ":" + Guests.HOME.resolve("bindings/target/test-classes")
            + "' dev.verbena.verbs.examples.";
    private static final String OURS = EXAMPLES + "Rping";
    private static final String OPTIONS = "-C 10 -S 5000 -v -V";

    @Test
    void rpingBetweenTwoHosts() throws Exception {
        rping("192.0.2.1");
    }

    @Test
    void rpingBetweenTwoHostsOverIwarp() throws Exception {
        Guests.assumeTheyHave("siw0");
        rping(Guests.SIW0_OF_HOST1);
    }

    private static void rping(String server) throws Exception {
        List<GuestRun> runs = Guests.pair("set -e; timeout 120 " + OURS + " -s -e -a " + server + " -p 7001 " + OPTIONS
                + "; timeout 120 rping -s -a " + server + " -p 7002 " + OPTIONS,
                until("timeout 20 rping -c -a " + server + " -p 7001 " + OPTIONS)
                        + until(OURS + " -c -e -a " + server + " -p 7002 " + OPTIONS),
                TIMEOUT);
        for (GuestRun run : runs) {
            String output = run.assertSucceeded().output();
            assertEquals(2, output.split("ping data: rdma-ping-9: ", -1).length - 1, output);
        }
    }

    /** Nothing tells a sender of datagrams that somebody listens: the receiver leaves a file when it has joined the group. */
    @Test
    void multicastBetweenTwoHosts() throws Exception {
        String options = " -C 20 -S 200 -m 239.1.2.3 -b ";
        List<GuestRun> runs = Guests.pair(
                receive(EXAMPLES + "Mckey" + options + "192.0.2.1", "joined", "ours")
                        + receive("mckey" + options + "192.0.2.1", "receiving data transfers", "theirs"),
                send("mckey -s" + options + "192.0.2.2", "ours")
                        + send(EXAMPLES + "Mckey -s" + options + "192.0.2.2", "theirs"),
                TIMEOUT);
        String received = runs.getFirst().assertSucceeded().output();
        assertTrue(received.contains("received messages=20"), received);
        assertTrue(received.contains("data transfers complete"), received);
        String sent = runs.getLast().assertSucceeded().output();
        assertTrue(sent.contains("sent messages=20"), sent);
    }

    private static String receive(String command, String ready, String name) {
        return """
                set -e
                timeout 120 stdbuf -oL %s > /tmp/%3$s & receiver=$!
                until grep -q '%s' /tmp/%3$s; do kill -0 $receiver; sleep 0.2; done
                touch "$SOFTROCE_OUT/%3$s"
                wait $receiver || { cat /tmp/%3$s; exit 1; }
                cat /tmp/%3$s
                """.formatted(command, ready, name);
    }

    private static String send(String command, String name) {
        return """
                set -e
                until [ -e "$SOFTROCE_OUT/%s" ]; do sleep 0.2; done
                timeout 120 %s
                """.formatted(name, command);
    }

    /** The server says nothing when it listens. Who is refused over iWARP may not end: C's rping does not. */
    private static String until(String client) {
        return "tries=0; until " + client + "; do [ $((tries += 1)) -lt 50 ] || exit 1; sleep 0.2; done\n";
    }
}
