package dev.verbena.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The two processes of a way.
 *
 * <p><b>Owner:</b> {@link TransferBenchmark}, which closes it. <b>Threading:</b> confined to its thread.
 */
final class EndPair implements AutoCloseable {
    static final String SENDER = "sender";
    private static final String RECEIVER = "receiver";

    /** One process, and what it says. */
    private record End(Process process, BufferedReader lines) {
        static End start(Way way, String role) throws IOException {
            Process process = new ProcessBuilder(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-XX:+UseSerialGC",
                    "-XX:-UsePerfData", "-Xms1g", "-Xmx2g", "-XX:MaxDirectMemorySize=2g",
                    "-Dslf4j.internal.verbosity=ERROR", "-cp", System.getProperty("java.class.path"),
                    TensorProcess.class.getName(), way.name(), role)).redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new End(process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        void tell(String order) throws IOException {
            process.getOutputStream().write((order + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        }

        String line() throws IOException {
            String line = lines.readLine();
            if (line == null) {
                throw new IllegalStateException("an end has ended; what it said is above");
            }
            return line;
        }
    }

    private final End sender;
    private final End receiver;

    EndPair(Way way) throws IOException {
        receiver = End.start(way, RECEIVER);
        try {
            sender = End.start(way, SENDER);
        } catch (IOException e) {
            receiver.process().destroyForcibly();
            throw e;
        }
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

    @Override
    public void close() {
        sender.process().destroyForcibly();
        receiver.process().destroyForcibly();
    }
}
