package dev.verbena.transfer;

import dev.verbena.transfer.exchange.AdaptiveExchangeSender;
import dev.verbena.transfer.protocol.SlotLayout;

/**
 * How tensors are exchanged by name and step.
 *
 * @param depth messages that the receiving end has room for, 8 KiB each: so many may be under way, and what does not fit waits; 1 to 4096
 * @param eagerByteSizeMax the largest tensor that is copied into a message, where it needs no way back and forth; of a larger one the message
 *            says where it lies, and the receiver reads it when it is asked for
 * @param isChecked whether each tensor carries its checksum, CRC32C, at the cost of looking at each byte at both ends
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record ExchangeOptions(int depth, int eagerByteSizeMax, boolean isChecked) {
    /** What a message has room for: so many bytes of a tensor may be eager. */
    public static final int EAGER_BYTE_SIZE_MAX = AdaptiveExchangeSender.BYTES_MAX;
    private static final int DEFAULT_DEPTH = 16;
    private static final int DEFAULT_EAGER_BYTE_SIZE_MAX = 4096;

    public ExchangeOptions {
        if (depth < 1 || depth > SlotLayout.DEPTH_MAX) {
            throw new IllegalArgumentException("depth=" + depth + " messages; give 1 to " + SlotLayout.DEPTH_MAX);
        }
        if (eagerByteSizeMax < 0 || eagerByteSizeMax > EAGER_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("eagerByteSizeMax=" + eagerByteSizeMax + "; give 0 to "
                    + EAGER_BYTE_SIZE_MAX + ", as a message has room for");
        }
    }

    /** 16 messages, eager up to 4 KiB, no checksums. */
    public static ExchangeOptions defaults() {
        return new ExchangeOptions(DEFAULT_DEPTH, DEFAULT_EAGER_BYTE_SIZE_MAX, false);
    }

    public ExchangeOptions withDepth(int depth) {
        return new ExchangeOptions(depth, eagerByteSizeMax, isChecked);
    }

    public ExchangeOptions withEagerByteSizeMax(int eagerByteSizeMax) {
        return new ExchangeOptions(depth, eagerByteSizeMax, isChecked);
    }

    public ExchangeOptions withChecksums() {
        return new ExchangeOptions(depth, eagerByteSizeMax, true);
    }
}
