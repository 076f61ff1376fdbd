package dev.verbena.benchmarks.transfer;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.LockSupport;

/**
 * One end in a process of its own: WAY sender|receiver HOST FABRIC. It says where it is; then it does what it is told, line by line, until its standard input ends,
 * closes the end, and exits. If it cannot go on, it says why instead:
 *
 * <pre>
 *   meet ADDRESS      met
 *   prepare COUNT     prepared
 *   open              open
 *   run N WORK        begun, and then the nanoseconds that it took
 *   any               failed: REASON
 * </pre>
 *
 * <p><b>Owner:</b> {@link EndPair}. <b>Threading:</b> its main thread.
 */
final class TensorProcess {
    private static final System.Logger LOG = System.getLogger(TensorProcess.class.getName());
    private static final long CLOSE_NS = 5_000_000_000L;

    private TensorProcess() {}

    public static void main(String[] arguments) {
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        boolean isDone = false;
        try {
            TensorEnd end = Way.valueOf(arguments[0]).end(arguments[1].equals(EndPair.SENDER), arguments[2],
                    arguments[3]);
            isDone = serve(end, output);
            // Whatever is still under way: the benchmark is over. But nothing is left behind.
            Thread.ofPlatform().daemon().start(TensorProcess::haltLate);
            end.close();
        } catch (Exception | Error e) {
            say(e, output);
        }
        // Deletes what libraries have unpacked, which a halt would not.
        System.exit(isDone ? 0 : 1);
    }

    private static void haltLate() {
        LockSupport.parkNanos(CLOSE_NS);
        Runtime.getRuntime().halt(1);
    }

    /** @return whether it could do what it was told */
    private static boolean serve(TensorEnd end, PrintStream output) {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        output.println(end.address());
        try {
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                follow(order.split(" "), end, output);
            }
            return true;
        } catch (Exception | Error e) {
            say(e, output);
            return false;
        }
    }

    private static void say(Throwable cause, PrintStream output) {
        LOG.log(System.Logger.Level.ERROR, "cannot go on", cause);
        String words = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        output.println(EndPair.FAILED + words.lines().findFirst().orElse(""));
    }

    private static void follow(String[] words, TensorEnd end, PrintStream output)
            throws IOException, InterruptedException {
        switch (words[0]) {
            case "meet" -> {
                end.meet(words[1]);
                output.println("met");
            }
            case "prepare" -> {
                end.prepare(Long.parseLong(words[1]));
                output.println("prepared");
            }
            case "open" -> {
                end.open();
                output.println("open");
            }
            case "run" -> {
                end.begin(Work.valueOf(words[2]));
                output.println("begun");
                long beginNs = System.nanoTime();
                end.run(Integer.parseInt(words[1]));
                output.println(System.nanoTime() - beginNs);
            }
            default -> throw new IllegalArgumentException("order " + words[0]);
        }
    }
}
