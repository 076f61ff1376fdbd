package dev.verbena.transfer;

/**
 * What a sending end of an exchange has done so far.
 *
 * @param messages written into the receiver's slots; fewer than what was sent where several went in one
 * @param eager tensors that went in messages: copied by a CPU at both ends
 * @param eagerByteSize payload bytes of them
 * @param rendezvous tensors that the receiver was told of, to read them
 * @param rendezvousByteSize payload bytes of those
 * @param withdrawn sends that were withdrawn, and have ended so
 * @param shapes how often type and shape had to be told: once for each name where they stay the same
 * @param eagerByteSizeMax the size up to which tensors go in messages at present
 * @param choice why up to that size
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record ExchangeStatistics(long messages, long eager, long eagerByteSize, long rendezvous,
        long rendezvousByteSize, long withdrawn, long shapes, int eagerByteSizeMax, String choice) {}
