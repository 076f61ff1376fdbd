package dev.verbena.transfer.spi;

/**
 * One thing that a fabric uses, and why that: for people.
 *
 * @param name such as {@code gidIndex}
 * @param value such as {@code 1}
 * @param reason what made it so, in words
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Setting(String name, String value, String reason) {}
