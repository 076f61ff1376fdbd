package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.WaitNotices;
import dev.verbena.transfer.Endpoint;
import picocli.CommandLine;

/** Server and client of one test, each with a fabric and a thread of its own. */
final class PerfPair implements AutoCloseable {
    private static final long LIMIT_SECONDS = 60;
    private static final WaitNotices NOTICES = WaitNotices.onStandardError();

    final PerfConnection server;
    final PerfConnection client;
    final PerfOptions clientOptions;
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    /** @param arguments of both sides */
    PerfPair(String... arguments) {
        this(arguments, arguments);
    }

    PerfPair(String[] serverArguments, String[] clientArguments) {
        server = PerfConnection.open(options(List.of(serverArguments), "-p=0"), NOTICES);
        Endpoint endpoint = server.listen();
        clientOptions = options(List.of(clientArguments), "-p=" + endpoint.port(), endpoint.host());
        client = PerfConnection.open(clientOptions, NOTICES);
    }

    static PerfOptions options(List<String> arguments, String... more) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of(more));
        all.add("--fabric=shm");
        return CommandLine.populateCommand(new PerfArguments(), all.toArray(String[]::new)).check();
    }

    /** Runs the test. @return what the client measured */
    List<Figures> run() throws Exception {
        Future<List<Figures>> serving = startServer();
        List<Figures> figures = await(startClient());
        await(serving);
        return figures;
    }

    Future<List<Figures>> startServer() {
        return start(() -> figures(server.begin().run()));
    }

    Future<List<Figures>> startClient() {
        return start(() -> figures(client.begin().run()));
    }

    private static List<Figures> figures(List<Measurement> measurements) {
        return measurements.stream().map(Measurement::figures).toList();
    }

    <T> Future<T> start(Callable<T> side) {
        return threads.submit(side);
    }

    static <T> T await(Future<T> side) throws Exception {
        try {
            return side.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** The part of the server's buffers that a queue pair of the client writes to or reads from. */
    MemorySegment serverReceives(int queuePair, long byteSize) {
        return slice(server.buffers(), server.buffers().receiveOffset(queuePair), byteSize);
    }

    MemorySegment clientSends(int queuePair, long byteSize) {
        return slice(client.buffers(), client.buffers().sendOffset(queuePair), byteSize);
    }

    private static MemorySegment slice(Buffers buffers, long offset, long byteSize) {
        return buffers.region.memory().asSlice(offset, byteSize);
    }

    @Override
    public void close() {
        threads.shutdownNow();
        client.close();
        server.close();
    }
}
