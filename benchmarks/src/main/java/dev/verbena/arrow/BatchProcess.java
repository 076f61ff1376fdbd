package dev.verbena.arrow;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * One end in a process of its own: WAY [ADDRESS]; with an address it writes to who is there. It says where it is, or "connected"; then it is told BYTES
 * COUNT, line by line, and says when that began, or ended, by the clock that processes of a machine have in common. It halts when its standard
 * input ends.
 */
final class BatchProcess {
    private BatchProcess() {}

    public static void main(String[] arguments) throws IOException {
        String peer = arguments.length > 1 ? arguments[1] : null;
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (PrintStream output = new PrintStream(new FileOutputStream(FileDescriptor.out), true,
                StandardCharsets.UTF_8)) {
            try (BatchEnd end = end(StreamsBenchmark.Way.valueOf(arguments[0]), peer)) {
                output.println(peer == null ? end.address() : "connected");
                for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                    String[] words = order.split(" ");
                    output.println(end.run(Integer.parseInt(words[0]), Integer.parseInt(words[1])));
                }
                // Whatever is still under way: the benchmark is over.
                Runtime.getRuntime().halt(0);
            }
        }
    }

    private static BatchEnd end(StreamsBenchmark.Way way, String peer) throws IOException {
        return way == StreamsBenchmark.Way.FLIGHT ? new FlightEnd(peer)
                : new VerbenaEnd(way == StreamsBenchmark.Way.LENT, peer);
    }
}
