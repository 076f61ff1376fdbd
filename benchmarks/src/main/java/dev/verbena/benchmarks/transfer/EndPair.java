package dev.verbena.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    /** What only the JVMs of Aeron are started with. */
    static final String AERON_OPTION = "verbena.aeronOption";

    /** One process, and what it says. */
    private record End(Process process, BufferedReader lines) {
        static End start(Way way, String role) throws IOException {
            List<String> command = new ArrayList<>(
                    List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                            "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xms1g", "-Xmx2g", "-XX:MaxDirectMemorySize=2g",
                            "-Dslf4j.internal.verbosity=ERROR"));
            if (way == Way.AERON) {
                // Of Agrona's buffers, which the others do not need; what gives them benchmarks/run says.
                command.add(aeronOption());
            }
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), TensorProcess.class.getName(),
                    way.name(), role));
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            return new End(process,
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
        }

        private static String aeronOption() {
            String option = System.getProperty(AERON_OPTION);
            if (option == null) {
                throw new IllegalStateException(
                        "-D" + AERON_OPTION + " is not set: start it by ./verbena bench transfer");
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
