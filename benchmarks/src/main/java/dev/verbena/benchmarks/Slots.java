package dev.verbena.benchmarks;

/**
 * What an allocator has handed out, by slot. Requests are numbered, their sizes known from the beginning, so that a subject can prepare
 * what a program prepares, such as shapes.
 *
 * <p><b>Owner:</b> the benchmark; closes it when all slots are free. <b>Threading:</b> different slots by different threads at once; the
 * benchmark orders the allocation of a slot before its free.
 */
interface Slots extends AutoCloseable {
    /** Fills an empty slot with as many bytes as the request asks for. */
    void allocate(int slot, int request);

    /** Empties a full slot. */
    void free(int slot);

    @Override
    void close();
}
