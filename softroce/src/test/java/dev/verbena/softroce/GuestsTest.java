package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Guests are what they promise, shown with programs that are not ours. */
class GuestsTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    @Test
    void oneGuestHasADeviceThatMovesData() throws Exception {
        GuestRun run = Guests.run("""
                ibv_rc_pingpong -d rxe0 -g 1 -n 100 > /tmp/server & server=$!
                until ibv_rc_pingpong -d rxe0 -g 1 -n 100 host1; do kill -0 $server || exit 1; sleep 0.2; done
                wait $server && cat /tmp/server
                """, TIMEOUT).assertSucceeded();
        assertEquals(2, run.output().lines().filter(line -> line.startsWith("100 iters in ")).count(), run.output());
    }

    /** What listens there shows that it is iWARP, which is over TCP. Who comes at that very moment is lost, see InteropTest. */
    @Test
    void theDeviceOfTheSecondDriverMovesDataToo() throws Exception {
        Guests.assumeTheyHave("siw0");
        GuestRun run = Guests.run("""
                rping -s -a host1-siw0 -C 10 -v & server=$!
                until ss -Hltn 'sport = :7174' | grep -F %s; do kill -0 $server || exit 1; sleep 0.2; done
                sleep 1
                timeout 500 rping -c -a host1-siw0 -C 10 -v && wait $server
                """.formatted(Guests.SIW0_OF_HOST1), TIMEOUT).assertSucceeded();
        assertEquals(2, run.output().split("ping data: rdma-ping-9: ", -1).length - 1, run.output());
    }

    @Test
    void twoGuestsReachEachOtherByRdma() throws Exception {
        List<GuestRun> runs = Guests.pair("timeout 500 rping -s -C 10 -v",
                "until rping -c -a host1 -C 10 -v; do [ $((tries += 1)) -lt 50 ] || exit 1; sleep 0.2; done", TIMEOUT);
        for (GuestRun run : runs) {
            assertTrue(run.assertSucceeded().output().contains("ping data: rdma-ping-9: "), run.output());
        }
    }

    @Test
    void aGuestThatIsKilledIsGoneForTheOther() throws Exception {
        try (RunningGuests guests = Guests.startPair("""
                until ping -c 1 -W 1 host2; do sleep 0.2; done > /dev/null
                echo reached
                while ping -c 1 -W 2 host2; do sleep 0.2; done > /dev/null
                echo lost
                """, "sleep 600", TIMEOUT)) {
            guests.awaitOutput(1, "reached");
            guests.kill(2);
            List<GuestRun> runs = guests.await();
            assertEquals("reached\nlost\n", runs.get(0).assertSucceeded().output());
            assertEquals(137, runs.get(1).status());
            assertEquals("softroce: host2 was killed by signal=9.\n", runs.get(1).complaint());
        }
    }

    @Test
    void aCommandsStatusIsTheRunsStatus() throws Exception {
        GuestRun run = Guests.run("echo from $(hostname); echo aside > /dev/stderr; sleep 600 & exit 7", TIMEOUT);
        assertEquals(new GuestRun(7, "from host1\naside\n", ""), run);
    }
}
