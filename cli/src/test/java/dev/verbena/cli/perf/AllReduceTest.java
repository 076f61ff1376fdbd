package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.FailedRunException;
import dev.verbena.memory.ElementType;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.Progress;
import picocli.CommandLine;

/** Members measure together, check what they have, and see who was given something else. */
class AllReduceTest {
    private static List<Endpoint> members(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        List<Endpoint> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            members.add(new Endpoint("127.0.0.1", sockets.getLast().getLocalPort()));
        }
        for (ServerSocket socket : sockets) {
            socket.close();
        }
        return members;
    }

    private static AllReduceOptions options(List<Endpoint> members, int rank, ElementType type, int iterations) {
        return new AllReduceOptions(members, rank, "shm", NetworkOptions.defaults(), type, List.of(64L, 100_000L),
                iterations, 10, Progress.callers());
    }

    private static FutureTask<List<AllReduceFigures>> start(AllReduceOptions options) {
        FutureTask<List<AllReduceFigures>> run = new FutureTask<>(() -> {
            try (AllReduceMember member = new AllReduceMember(options)) {
                return member.run();
            }
        });
        Thread.ofPlatform().daemon().start(run);
        return run;
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT32", "BFLOAT16", "INT64"})
    void membersMeasureAndCheckEachSize(ElementType type) throws Exception {
        List<Endpoint> members = members(3);
        List<FutureTask<List<AllReduceFigures>>> runs = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            runs.add(start(options(members, rank, type, 20)));
        }
        for (FutureTask<List<AllReduceFigures>> run : runs) {
            List<AllReduceFigures> figures = run.get();
            assertEquals(List.of(64L, 100_000L), figures.stream().map(each -> each.times().byteSize()).toList());
            assertEquals(21, figures.getFirst().times().iterations());
            assertTrue(figures.stream().allMatch(each -> each.shareOfBound() > 0));
        }
    }

    @Test
    void whoWasGivenSomethingElseIsNamed() throws Exception {
        List<Endpoint> members = members(2);
        FutureTask<List<AllReduceFigures>> one = start(options(members, 0, ElementType.FLOAT32, 20));
        FutureTask<List<AllReduceFigures>> other = start(options(members, 1, ElementType.FLOAT32, 30));
        String message = assertInstanceOf(FailedRunException.class,
                assertThrows(ExecutionException.class, one::get).getCause()).getMessage();
        assertTrue(message.contains("rank 1") && message.contains("--iters=30") && message.contains("--iters=20"),
                message);
        assertThrows(ExecutionException.class, other::get);
    }

    @Test
    void theBoundIsThreePassesOverWhatTheOthersHave() {
        LatencyFigures times = LatencyFigures.of(1 << 20, new long[]{0, 1_000_000, 2_000_000, 3_000_000, 4_000_000}, 1);
        AllReduceFigures figures = new AllReduceFigures(4, times, 1L << 30, 0);
        assertEquals(3 * 0.75 * 1e6 / 1024, figures.boundUsec(), 1e-6);
        assertEquals(1.5 * (1 << 20) * 1e3, figures.busBytesPerSecond(), 1);
        assertEquals(figures.boundUsec() / 1000, figures.shareOfBound(), 1e-9);
        assertEquals(figures.shareOfBound(), figures.toMap().get("shareOfBound"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"--members=127.0.0.1:1 --rank=0", "--members=127.0.0.1:1,127.0.0.1:1 --rank=0",
            "--members=127.0.0.1:1,127.0.0.1:0 --rank=0", "--members=127.0.0.1:1,nothing --rank=0",
            "--members=127.0.0.1:1,127.0.0.1:2 --rank=2", "--members=127.0.0.1:1,127.0.0.1:2 --rank=0 --type=int8",
            "--members=127.0.0.1:1,127.0.0.1:2 --rank=0 --sizes=65", "--members=127.0.0.1:1,127.0.0.1:2 --rank=0 -n 4",
            "--members=127.0.0.1:1,127.0.0.1:2 --rank=0 --warm-up=-1"})
    void badInputIsSaid(String line) {
        CommandLine command = new CommandLine(new AllReduceCommand());
        command.parseArgs(line.split(" "));
        String message = assertThrows(BadInputException.class, () -> ((AllReduceCommand) command.getCommand()).call())
                .getMessage();
        assertTrue(message.startsWith("-"), message);
    }
}
