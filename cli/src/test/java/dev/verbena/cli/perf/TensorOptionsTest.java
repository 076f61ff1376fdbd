package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.DoubleStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.cli.BadInputException;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Striping;
import picocli.CommandLine;

/** What is measured of each size, and what is refused. */
class TensorOptionsTest {
    private static TensorOptions options(String line) {
        return CommandLine.populateCommand(new TensorArguments(), line.split(" ")).check();
    }

    @ParameterizedTest
    @CsvSource({"8, 1000, 5000, 16", "1048576, 1000, 2048, 16", "67108864, 32, 32, 4", "1073741824, 5, 5, 2"})
    void largeTensorsAreFewer(long byteSize, int roundTrips, long streamed, int window) {
        TensorOptions options = options("--sizes 8..1G");
        assertEquals(roundTrips, options.roundTrips(byteSize));
        assertEquals(streamed, options.streamed(byteSize));
        assertEquals(window, options.window(byteSize));
    }

    @Test
    void oneSlowRunOfFiveDoesNotCount() {
        assertEquals(3, TensorRaw.median(DoubleStream.of(5, 0.1, 3, 4, 1)));
    }

    @Test
    void theRawPartHasRoomForTheLargest() {
        assertEquals(4096, options("--sizes 64,4K,8").raw().byteSizeMax());
        assertEquals("host", options("--fabric=shm host").raw().host());
    }

    @Test
    void protocolsAreMeasuredInTheOrderGiven() {
        assertEquals(List.of(TensorProtocol.STATIC), options("--sizes 8").protocols());
        assertEquals(List.of(TensorProtocol.DYNAMIC, TensorProtocol.STATIC),
                options("--protocol dynamic,static").protocols());
    }

    @Test
    void theDeviceIsDrivenAsAsked() {
        assertEquals(Progress.callers(), options("--sizes 8").device("shm").progress());
        assertEquals(Progress.pollers().withSpins(7),
                options("--driven-by=pollers --idle-spins=7").device("shm").progress());
    }

    @Test
    void stripesHaveQueuePairsAndWherePollersDriveACompletionQueueEach() {
        RdmaDeviceOptions byCallers = options("--stripes 4").device("shm");
        assertEquals(Striping.over(4), byCallers.striping());
        assertEquals(4, byCallers.queuePairsPerPeer());
        assertEquals(1, byCallers.completionQueues());
        assertEquals(4, options("--stripes 4 --driven-by=pollers").device("shm").completionQueues());
        assertEquals(Striping.none(), options("--sizes 8").device("shm").striping());
        assertEquals(2, options("--sizes 8").device("shm").queuePairsPerPeer());
    }

    @ParameterizedTest
    @CsvSource({"--protocol=exact, exact", "--protocol=static;static, twice", "--protocol=static;, ''''",
            "--sizes=7, 7", "-p=65536, -p=65536", "-p 0 host, -p=0", "-n=4, -n=4",
            "-w=1, -w=1", "-w=1025, -w=1025", "--warm-up=-1, --warm-up=-1", "--rounds=0, --rounds=0",
            "--rounds=1001, --rounds=1001", "--stripes=0, --stripes=0",
            "--stripes=9, --stripes=9", "-m 1000, 1000",
            "--driven-by=nobody, nobody", "--idle-spins=-1, --idle-spins=-1"})
    void refused(String line, String named) {
        String message = assertThrows(BadInputException.class, () -> options(line.replace(';', ','))).getMessage();
        assertTrue(message.contains(named), message);
    }
}
