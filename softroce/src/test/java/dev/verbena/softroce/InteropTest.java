package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Our programs and rdma-core's between two hosts, each in both roles. Within one host, see InteropOnDevice. */
class InteropTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(12);
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
        List<GuestRun> runs = Guests.pair(
                serve(OURS + " -s -e", server, 7001) + serve("rping -s", server, 7002),
                connect("rping -c", server, 7001) + connect(OURS + " -c -e", server, 7002), TIMEOUT);
        for (GuestRun run : runs) {
            String output = run.assertSucceeded().output();
            assertEquals(2, output.split("ping data: rdma-ping-9: ", -1).length - 1, output);
        }
    }

    /**
     * A server says nothing when it listens and serves one client: who came, heard nothing and gave up would have been that one. So the
     * kernel is asked. Soft-iWARP's socket listens a little before its connection manager does, and who comes between the two is lost.
     */
    private static String serve(String program, String server, int port) {
        return """
                set -e
                timeout 600 %1$s -a %2$s -p %3$d %4$s & server=$!
                until rdma resource show cm_id | grep 'state LISTEN .*:%3$d '; do kill -0 $server; sleep 0.2; done
                sleep 1
                touch "$SOFTROCE_OUT/%3$d"
                wait $server
                """.formatted(program, server, port, OPTIONS);
    }

    private static String connect(String program, String server, int port) {
        return send("%s -a %s -p %d %s".formatted(program, server, port, OPTIONS), Integer.toString(port));
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
                timeout 600 stdbuf -oL %s > /tmp/%3$s 2>&1 & receiver=$!
                while kill -0 $receiver && ! grep -q '%s' /tmp/%3$s; do sleep 0.2; done
                touch "$SOFTROCE_OUT/%3$s"
                wait $receiver || { status=$?; cat /tmp/%3$s; exit $status; }
                cat /tmp/%3$s
                """.formatted(command, ready, name);
    }

    /** Once the other host has left a file of that name. */
    private static String send(String command, String name) {
        return """
                set -e
                until [ -e "$SOFTROCE_OUT/%s" ]; do sleep 0.2; done
                timeout 600 %s
                """.formatted(name, command);
    }
}
