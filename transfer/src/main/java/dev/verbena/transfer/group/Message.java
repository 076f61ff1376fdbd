package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What a member says first of each operation, by which others see that it does the same; chunks of large tensors follow as they are.
 *
 * <pre>
 *  end - 32 - n     end - 32    end - 24    end - 16    end - 8      end of the slot's payload
 * +----------------+-----------+-----------+-----------+-----------+
 * | n payload      | sequence  | signature | count     | byteSize  |
 * +----------------+-----------+-----------+-----------+-----------+
 * </pre>
 *
 * {@code sequence}, from 0, signature and count, in elements, are the same at all members; {@code byteSize} is of what this member gathers
 * in all. See {@link Operation#signature}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class Message {
    static final long HEADER_BYTE_SIZE = 4 * Long.BYTES;
    /** What goes with the header, to each member, rather than around in chunks. */
    static final long PAYLOAD_BYTE_SIZE_MAX = 4096 - HEADER_BYTE_SIZE;
    public static final int BYTE_SIZE_MAX = (int) (PAYLOAD_BYTE_SIZE_MAX + HEADER_BYTE_SIZE);

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private Message() {}

    /** Where a payload of so many bytes begins. */
    static long payloadBegin(long end, long byteSize) {
        return end - HEADER_BYTE_SIZE - byteSize;
    }

    static void write(MemorySegment memory, long end, Operation operation) {
        memory.set(WORD, end - 4 * Long.BYTES, operation.sequence);
        memory.set(WORD, end - 3 * Long.BYTES, operation.signature());
        memory.set(WORD, end - 2 * Long.BYTES, operation.count);
        memory.set(WORD, end - Long.BYTES, operation.ownByteSize());
    }

    static long byteSize(MemorySegment memory, long end) {
        return memory.get(WORD, end - Long.BYTES);
    }

    /** @return null if the other one does the same, otherwise what each does, in words */
    static String difference(MemorySegment memory, long end, Operation operation) {
        long sequence = memory.get(WORD, end - 4 * Long.BYTES);
        long signature = memory.get(WORD, end - 3 * Long.BYTES);
        long count = memory.get(WORD, end - 2 * Long.BYTES);
        if (sequence == operation.sequence && signature == operation.signature() && count == operation.count) {
            return null;
        }
        return "offers " + Operation.describe(sequence, signature, count) + ", this one "
                + Operation.describe(operation.sequence, operation.signature(), operation.count);
    }
}
