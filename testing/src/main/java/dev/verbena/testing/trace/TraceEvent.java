package dev.verbena.testing.trace;

/**
 * One line of a trace. Ids count up from 0 in the order of allocation, threads from 0.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public sealed interface TraceEvent {
    /** A thread takes that many bytes; the id is theirs alone in the whole trace. */
    record Allocate(int id, long byteSize, int thread) implements TraceEvent {}

    /** A thread gives them back; it need not be the one that took them. */
    record Free(int id, int thread) implements TraceEvent {}

    /** The boundary of an iteration: before the first one is set-up, behind the last one tear-down. */
    record Mark() implements TraceEvent {}
}
