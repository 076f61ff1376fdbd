package dev.verbena.transfer;

import dev.verbena.transfer.exchange.AdaptiveExchangeSender;
import dev.verbena.transfer.protocol.SlotLayout;

/**
 * How tensors are exchanged by name and step.
 *
 * @param depth messages that the receiving end has room for, 8 KiB each: so many may be under way, and what does not fit waits; 1 to 4096
 * @param eagerByteSizeMax the largest tensor that is copied into a message, where it needs no way back and forth; of a larger one the message
 *            says where it lies, and the receiver reads it when it is asked for. {@link #MEASURED}: where both cost the same; 0: only empty
 *            tensors are copied; {@link #EAGER_BYTE_SIZE_MAX}: all that a message has room for
 * @param isChecked whether each tensor carries its checksum, CRC32C, at the cost of looking at each byte at both ends
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record ExchangeOptions(int depth, int eagerByteSizeMax, boolean isChecked) {
    /** What a message has room for: so many bytes of a tensor may be eager. */
    public static final int EAGER_BYTE_SIZE_MAX = AdaptiveExchangeSender.BYTES_MAX;
    private static final int DEFAULT_DEPTH = 16;
    /** Instead of a size: it is measured when the exchange is connected, and adjusted; {@link ExchangeStatistics#choice} has the outcome. */
    public static final int MEASURED = AdaptiveExchangeSender.MEASURED;

    /** Throws {@link IllegalArgumentException} unless depth is 1 to 4096 and eagerByteSizeMax is 0 to EAGER_BYTE_SIZE_MAX, or MEASURED. */
    public ExchangeOptions {
        if (depth < 1 || depth > SlotLayout.DEPTH_MAX) {
            throw new IllegalArgumentException("depth=" + depth + " messages; give 1 to " + SlotLayout.DEPTH_MAX);
        }
        if (eagerByteSizeMax < MEASURED || eagerByteSizeMax > EAGER_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("eagerByteSizeMax=" + eagerByteSizeMax + "; give 0 to "
                    + EAGER_BYTE_SIZE_MAX + ", as a message has room for, or MEASURED");
        }
    }

    /** 16 messages, eager up to what is measured, no checksums. */
    public static ExchangeOptions defaults() {
        return new ExchangeOptions(DEFAULT_DEPTH, MEASURED, false);
    }

    /** Messages that may be under way, of 8 KiB each in the receiver's arena, 1 to 4096; 16 unless set. What does not fit waits. */
    public ExchangeOptions withDepth(int depth) {
        return new ExchangeOptions(depth, eagerByteSizeMax, isChecked);
    }

    /** Tensors of up to so many bytes are copied into a message, larger ones read by the receiver; {@link #MEASURED} unless set. */
    public ExchangeOptions withEagerByteSizeMax(int eagerByteSizeMax) {
        return new ExchangeOptions(depth, eagerByteSizeMax, isChecked);
    }

    /** Each tensor carries its CRC32C, and a damaged one fails at the receiver; both ends look at each byte for it. Off by default. */
    public ExchangeOptions withChecksums() {
        return new ExchangeOptions(depth, eagerByteSizeMax, true);
    }
}
