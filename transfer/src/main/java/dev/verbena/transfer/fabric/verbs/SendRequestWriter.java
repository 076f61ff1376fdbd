package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.verbs.SendRequest;

/**
 * Writes a request of a fabric's user into one of the device.
 *
 * <p>Threading: functions of the requests, which are the caller's.
 */
final class SendRequestWriter {
    private SendRequestWriter() {}

    /**
     * All but whether it is signaled.
     *
     * @param byteSize of all its elements
     */
    static void write(SendRequest native_, long id, WorkRequest request, long byteSize, int inlineByteSizeMax) {
        // A read of nothing is a write of nothing: soft-RoCE of old kernels does not survive the former.
        Opcode opcode = request.opcode == Opcode.READ && byteSize == 0 ? Opcode.WRITE : request.opcode;
        write(native_, id, opcode, request, byteSize, inlineByteSizeMax);
    }

    /** The same as another operation than the request names. */
    static void write(SendRequest native_, long id, Opcode opcode, WorkRequest request, long byteSize,
            int inlineByteSizeMax) {
        boolean isInline = isInline(request, byteSize, inlineByteSizeMax);
        if (request.elementCount == 1) {
            // Read here: behind the operation, whose rare cases are calls, the compiler would read and check them again.
            MemoryRegion region = request.region[0];
            long offset = request.offset[0];
            writeOperation(native_, id, opcode, request);
            writeElement(native_, region, offset, byteSize, isInline);
        } else {
            writeOperation(native_, id, opcode, request);
            writeElements(native_, request, isInline);
        }
    }

    /** Behind those that are there. */
    static void writeElements(SendRequest native_, WorkRequest request, boolean isInline) {
        for (int i = 0; i < request.elementCount; i++) {
            writeElement(native_, request.region[i], request.offset[i], request.byteSize[i], isInline);
        }
    }

    private static void writeOperation(SendRequest native_, long id, Opcode opcode, WorkRequest request) {
        switch (opcode) {
            case WRITE -> native_.write(id, request.remoteAddress, (int) request.rkey);
            case WRITE_WITH_IMMEDIATE ->
                native_.writeWithImmediate(id, request.remoteAddress, (int) request.rkey, request.immediate);
            case READ -> native_.read(id, request.remoteAddress, (int) request.rkey);
            case SEND -> native_.send(id);
            case COMPARE_AND_SWAP -> native_.compareAndSwap(id, request.remoteAddress, (int) request.rkey,
                    request.compareOrAdd, request.swap);
            case FETCH_AND_ADD ->
                native_.fetchAndAdd(id, request.remoteAddress, (int) request.rkey, request.compareOrAdd);
            default -> throw new IllegalStateException("opcode=" + opcode);
        }
    }

    private static void writeElement(SendRequest native_, MemoryRegion region, long offset, long byteSize,
            boolean isInline) {
        if (byteSize == 0) {
            // To some devices an element of 0 bytes is one of 2 GiB.
            return;
        }
        VerbsRegion own = (VerbsRegion) region;
        if (isInline) {
            native_.inline(own.memory(), offset, byteSize);
        } else {
            native_.element(own.registered(), offset, byteSize);
        }
    }

    /** Whether the payload goes into the request itself. */
    private static boolean isInline(WorkRequest request, long byteSize, int inlineByteSizeMax) {
        Opcode opcode = request.opcode;
        return byteSize > 0 && byteSize <= inlineByteSizeMax
                && (opcode == Opcode.WRITE || opcode == Opcode.WRITE_WITH_IMMEDIATE || opcode == Opcode.SEND)
                && isOfHost(request);
    }

    /** What a processor does not reach it does not copy into the request. */
    private static boolean isOfHost(WorkRequest request) {
        for (int i = 0; i < request.elementCount; i++) {
            if (request.region[i].kind() != MemoryKind.HOST) {
                return false;
            }
        }
        return true;
    }
}
