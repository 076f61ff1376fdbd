package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.cli.BadInputException;
import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Capabilities;

/** perftest's letters, defaults and rules; and what is refused. */
class PerfArgumentsTest {
    private static PerfOptions options(String line) {
        return PerfPair.options(List.of(line.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({"write_bw, 65536, 5000, 128, 1", "read_bw, 65536, 1000, 128, 1", "send_bw, 65536, 1000, 128, 1",
            "write_lat, 2, 1000, 1, 1", "read_lat, 2, 1000, 1, 1", "send_lat, 2, 1000, 1, 1",
            "atomic_lat, 8, 1000, 1, 1", "put_bw, 65536, 5000, 1, 1", "put_lat, 8, 1000, 1, 1"})
    void defaults(String test, long byteSize, long iterations, int depth, int signalEvery) {
        PerfOptions options = options(test);
        assertEquals(byteSize, options.byteSize());
        assertEquals(iterations, options.iterations());
        assertEquals(depth, options.depth(iterations));
        assertEquals(signalEvery, options.signalEvery(iterations));
        assertTrue(options.isServer() && options.port() == 18_515);
    }

    @ParameterizedTest
    @CsvSource({"write_bw -s 8192, 100", "write_bw -s 8193, 1", "write_bw -a, 100", "write_bw -s 1048576 -Q 10, 10",
            "write_bw -l 32 -n 320, 32", "write_bw -l 32 -Q 16 -n 320, 16", "write_bw -s 64 -t 20, 20",
            "write_bw -s 64 -n 50, 50", "send_lat -t 200, 100"})
    void moderation(String line, int signalEvery) {
        PerfOptions options = options(line);
        assertEquals(signalEvery, options.signalEvery(options.iterations()));
    }

    /** As perftest: none in bandwidth tests and where no payload leaves this side, and what was asked for. */
    @ParameterizedTest
    @CsvSource({"write_bw, 0", "send_bw, 0", "read_bw, 0", "write_lat, 220", "send_lat, 236", "read_lat, 0",
            "atomic_lat, 0", "put_lat, 0", "write_bw -I 64, 64", "send_lat -I 0, 0", "read_bw -I 0, 0"})
    void inline(String line, int byteSizeMax) {
        assertEquals(byteSizeMax, options(line).inlineByteSizeMax());
    }

    @Test
    void whatTheFabricCannotDoIsRefusedBeforeAnythingIsMade() {
        Capabilities can = new Capabilities(false, false, 65_536, 1 << 20, 128, 2, 1, false, false, false, Set.of());
        PerfConnection.check(options("write_bw"), "verbs", can);
        for (String line : List.of("atomic_lat", "put_lat", "put_bw", "write_bw -s 65537", "write_bw -t 256")) {
            PerfOptions options = options(line);
            assertThrows(BadInputException.class, () -> PerfConnection.check(options, "verbs", can), line);
        }
        Capabilities more = new Capabilities(false, false, 65_537, 1 << 20, 256, 2, 1, true, false, false, Set.of());
        for (String line : List.of("atomic_lat", "write_bw -s 65537", "write_bw -t 256")) {
            PerfConnection.check(options(line), "verbs", more);
        }
    }

    @Test
    void longNamesMeanTheSame() {
        assertEquals(
                options("write_bw -p 1 -s 64 -n 320 -q 2 -t 64 -r 10 -l 32 -Q 8 -I 64 -N -F --report_gbits host"),
                options("write_bw --port=1 --size=64 --iters=320 --qp=2 --tx-depth=64 --rx-depth=10 --post_list=32"
                        + " --cq-mod=8 --inline_size=64 --noPeak --CPU-freq --report_gbits host"));
        assertEquals(options("read_bw -a"), options("read_bw --all"));
        assertEquals(options("read_bw -R"), options("read_bw --rdma_cm"));
        assertEquals(ConnectMode.CM, options("read_bw -R").network().connectMode());
        assertEquals(options("read_bw -D 3"), options("read_bw --duration 3"));
    }

    @Test
    void theNetworkIsNamedByPerftestsLetters() {
        assertEquals(NetworkOptions.ofEnvironment(System.getenv()), options("write_bw").network());
        assertEquals(
                NetworkOptions.ofEnvironment(System.getenv()).withDevice("rxe0").withPort(2).withGidIndex(3)
                        .withMtu(1024),
                options("write_bw -d rxe0 -i 2 -x 3 -m 1024").network());
        assertEquals(options("write_bw -d rxe0 -i 2 -x 3 -m 1024"),
                options("write_bw --ib-dev=rxe0 --ib-port=2 --gid-index=3 --mtu=1024"));
    }

    @Test
    void noPeakAbove20000AsInPerftest() {
        assertTrue(options("write_bw -n 20000").hasPeak());
        assertTrue(!options("write_bw -n 20001").hasPeak());
    }

    @ParameterizedTest
    @CsvSource({"write_latency, write_latency", "write_bw -s 0, -s=0", "write_bw -s -1, -s=-1", "write_bw -n 4, -n=4",
            "write_lat -n 10000001, -n=10000001", "put_lat -s 12, -s=12", "put_bw -a, -s=all", "put_bw -t 4, -t",
            "put_bw -I 8, -I=8", "atomic_lat -s 16, -s=16", "atomic_lat -a, -s=all",
            "write_bw -t 0, -t=0", "write_bw -t 15001, -t=15001", "write_bw -q 0, -q=0", "write_bw -q 129, -q=129",
            "write_lat -q 2, -q=2", "write_lat -l 2, -l=2", "write_bw -l 0, -l=0", "write_bw -l 64 -t 32, -t=32",
            "write_bw -l 32, -n=5000", "write_bw -l 32 -Q 5 -n 320, -Q=5", "write_bw -Q 0, -Q=0", "send_bw -r 0, -r=0",
            "write_bw -a -s 2, -a and -s", "write_bw -D 0, -D=0", "write_bw -D 1 -n 5, -D and -n",
            "write_bw -p 65536, -p=65536", "write_bw -p 0 host, -p=0", "write_bw --warm-up -1, --warm-up=-1",
            "write_bw -I -1, -I=-1",
            "write_bw -I 913, -I=913", "read_lat -I 8, -I=8", "write_bw -m 1000, 1000", "write_bw -x -2, -2",
            "write_bw -i 0, 0"})
    void refused(String line, String named) {
        BadInputException refusal = assertThrows(BadInputException.class, () -> options(line));
        assertTrue(refusal.getMessage().contains(named), refusal.getMessage());
    }
}
