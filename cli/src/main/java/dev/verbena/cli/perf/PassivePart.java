package dev.verbena.cli.perf;

/** The target of one-sided operations: its CPU takes no part. */
final class PassivePart implements Part {
    @Override
    public void run(long iterations) {
        // The next message of the client comes when it is done.
    }
}
