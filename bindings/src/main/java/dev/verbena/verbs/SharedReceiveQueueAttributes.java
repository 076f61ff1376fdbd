package dev.verbena.verbs;

/**
 * What a shared receive queue is, as the device has it now.
 *
 * @param depth receives that may be posted
 * @param elementCountMax scatter elements of each
 * @param limit below which an event comes; 0 for none, and once it came
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_query_srq(3).
 */
public record SharedReceiveQueueAttributes(int depth, int elementCountMax, int limit) {}
