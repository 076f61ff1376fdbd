package dev.verbena.graph;

/** An operation that can say what it waits for when a deadline has passed. */
interface Waiting {
    /** Such as {@code tensor 'w:0' from task=server:0 (edge w:0->worker:0)}. */
    String waitsFor();
}
