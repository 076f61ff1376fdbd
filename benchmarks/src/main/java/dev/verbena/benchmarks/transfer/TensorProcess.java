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
 * One end in a process of its own: WAY sender|receiver. It says where it is; then it does what it is told, line by line, until its standard input ends,
 * closes the end, and halts:
 *
 * <pre>
 *   meet ADDRESS      met
 *   prepare COUNT     prepared
 *   open              open
 *   run N WORK        begun, and then the nanoseconds that it took
 * </pre>
 *
 * <p><b>Owner:</b> {@link EndPair}. <b>Threading:</b> its main thread.
 */
final class TensorProcess {
    private static final long CLOSE_NS = 5_000_000_000L;

    private TensorProcess() {}

    public static void main(String[] arguments) throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        TensorEnd end = Way.valueOf(arguments[0]).end(arguments[1].equals(EndPair.SENDER));
        output.println(end.address());
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            follow(order.split(" "), end, output);
        }
        // Whatever is still under way: the benchmark is over. But nothing is left behind.
        Thread.ofPlatform().daemon().start(TensorProcess::haltLate);
        end.close();
        Runtime.getRuntime().halt(0);
    }

    private static void haltLate() {
        LockSupport.parkNanos(CLOSE_NS);
        Runtime.getRuntime().halt(1);
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
