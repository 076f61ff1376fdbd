package dev.verbena.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import dev.verbena.transfer.Endpoint;

/**
 * A task's link to the launcher that started it: messages to standard output, orders from standard input. When the input ends the
 * launcher is gone, however it went, and the process halts.
 *
 * <p>Owner: the task. Threading: thread-safe; one daemon thread reads.
 */
final class LauncherLink implements TaskLink {
    private final PrintStream out;
    private final CompletableFuture<Map<String, Endpoint>> cluster = new CompletableFuture<>();

    /** Takes standard output over: whatever else is printed there goes to standard error. */
    LauncherLink() {
        out = System.out;
        System.setOut(System.err);
    }

    /** Begins to hear orders. */
    void listen(Consumer<String> onAbort) {
        Thread.ofPlatform().daemon().name("launcher-orders").start(() -> read(onAbort));
    }

    @Override
    public synchronized void tell(TaskMessage message) {
        out.println(RecordLines.write(message));
        out.flush();
    }

    @Override
    public Map<String, Endpoint> awaitCluster() {
        return cluster.join();
    }

    private void read(Consumer<String> onAbort) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                switch (RecordLines.read(LauncherOrder.class, line)) {
                    case LauncherOrder.Start(Map<String, Endpoint> endpoints) -> cluster.complete(endpoints);
                    case LauncherOrder.Abort(String cause) -> onAbort.accept(cause);
                    case null -> Complaint.print("the launcher sent what is no order: " + line);
                }
            }
        } catch (IOException _) {
            // As its end.
        }
        Runtime.getRuntime().halt(ExitStatus.FAILED);
    }
}
