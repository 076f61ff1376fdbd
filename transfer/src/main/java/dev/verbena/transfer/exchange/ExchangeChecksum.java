package dev.verbena.transfer.exchange;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * CRC32C of what is exchanged (RFC 3720 §12.1, by the processor's own instruction): what was read or copied wrongly shows.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ExchangeChecksum {
    /** A ByteBuffer's limit is below 2 GiB. */
    private static final long PART_BYTE_SIZE = 1L << 30;

    private ExchangeChecksum() {}

    static long of(MemorySegment bytes) {
        CRC32C sum = new CRC32C();
        for (long at = 0; at < bytes.byteSize(); at += PART_BYTE_SIZE) {
            sum.update(bytes.asSlice(at, Math.min(PART_BYTE_SIZE, bytes.byteSize() - at)).asByteBuffer());
        }
        return sum.getValue();
    }
}
