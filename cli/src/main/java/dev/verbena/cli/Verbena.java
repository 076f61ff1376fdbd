package dev.verbena.cli;

/** Interim. */
final class Verbena {
    private Verbena() {}

    static void main(String[] arguments) {
        System.exit(2);
    }
}
