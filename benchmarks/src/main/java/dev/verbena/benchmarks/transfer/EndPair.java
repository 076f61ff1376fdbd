package dev.verbena.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The two processes of a way.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}, which closes it. <b>Threading:</b> confined to its thread.
 */
final class EndPair implements AutoCloseable {
    static final String SENDER = "sender";
    private static final String RECEIVER = "receiver";
    private static final long CLOSE_SECONDS = 10;
    /** Properties that say what only the JVMs of a way are started with. */
    static final Map<Way, String> OPTIONS = Map.of(Way.AERON, "verbena.aeronOption", Way.FLIGHT,
            "verbena.flightOption");
    /** How the line begins that says why an end cannot go on. */
    static final String FAILED = "failed: ";

    /** One process, and what it says. */
    private record End(Process process, BufferedReader lines) {
        static End start(Way way, String role, EndHost host, String fabric) throws IOException {
            List<String> command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                            "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms1g", "-Xmx2g", "-XX:MaxDirectMemorySize=2g",
                            "-Dslf4j.internal.verbosity=ERROR"));
            if (OPTIONS.containsKey(way)) {
                // Of Agrona's buffers and Arrow's, which the others do not need; what gives them benchmarks/run says.
                command.add(option(OPTIONS.get(way)));
            }
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), TensorProcess.class.getName(),
                    way.name(), role, host.address(), fabric));
            // What UCX warns of is no answer of an end.
            Process process = host.start(command, Map.of("UCX_LOG_FILE", "stderr"));
            return new End(process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        private static String option(String property) {
            String option = System.getProperty(property);
            if (option == null) {
                throw new IllegalStateException("-D" + property + " is not set: start it by ./verbena bench transfer");
            }
            return option;
        }

        void tell(String order) throws IOException {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        /** Of its orders. */
        void end() {
            try {
                process.getOutputStream().close();
            } catch (IOException e) {
                process.destroyForcibly(); // It has ended, or does not read.
            }
        }

        void await() {
            try {
                if (process.waitFor(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                    return;
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            process.destroyForcibly();
        }

        String line() throws IOException {
            String line = lines.readLine();
            if (line == null) {
                throw new IllegalStateException("an end has ended without a word; its standard error may say more");
            }
            if (line.startsWith(FAILED)) {
                throw new IllegalStateException(line.substring(FAILED.length()));
            }
            return line;
        }
    }

    private final End sender;
    private final End receiver;

    EndPair(Way way, Route route) throws IOException {
        receiver = End.start(way, RECEIVER, route.receiver(), route.fabric());
        try {
            sender = End.start(way, SENDER, route.sender(), route.fabric());
        } catch (IOException | RuntimeException e) {
            receiver.process().destroyForcibly();
            throw e;
        }
        try {
            meet();
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private void meet() throws IOException {
        String address = receiver.line();
        receiver.tell("meet " + sender.line());
        sender.tell("meet " + address);
        hearBoth();
    }

    private void tellBoth(String order) throws IOException {
        receiver.tell(order);
        sender.tell(order);
        hearBoth();
    }

    private void hearBoth() throws IOException {
        receiver.line();
        sender.line();
    }

    /** For tensors of so many bytes. */
    void open(long byteSize) throws IOException {
        tellBoth("prepare " + byteSize / Float.BYTES);
        tellBoth("open");
    }

    /** Microseconds of a tensor, from when it is sent until its result is back. */
    double run(int tensors, Work work) throws IOException {
        String order = "run " + tensors + " " + work;
        receiver.tell(order);
        receiver.line();
        sender.tell(order);
        sender.line();
        double us = Long.parseLong(sender.line()) / 1e3 / tensors;
        receiver.line();
        return us;
    }

    /** They see that nobody tells them anything any more. */
    @Override
    public void close() {
        sender.end();
        receiver.end();
        sender.await();
        receiver.await();
    }
}
