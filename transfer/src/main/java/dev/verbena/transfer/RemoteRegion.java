package dev.verbena.transfer;

/**
 * A peer's region as its owner described it.
 *
 * @param address of its first byte
 * @param byteSize of the region
 * @param rkey that opens it
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RemoteRegion(long address, long byteSize, long rkey) {}
