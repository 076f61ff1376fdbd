package dev.verbena.verbs;

/**
 * An RDMA device of this machine.
 *
 * @param name as {@code ibv_devinfo} shows it
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record VerbsDevice(String name) {}
