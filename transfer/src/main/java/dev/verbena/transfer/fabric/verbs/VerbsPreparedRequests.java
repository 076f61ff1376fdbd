package dev.verbena.transfer.fabric.verbs;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.IntStream;

import dev.verbena.transfer.fabric.CopiedRequests;
import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.spi.WorkRequest;
import dev.verbena.verbs.SendRequest;
import dev.verbena.verbs.SendRequests;

/**
 * A list that the device is handed as it is. Only signaled requests get a new number at each post, for the others say nothing unless they
 * fail. The last one is always signaled: of several posts of a list that are under way, an unsignaled one that fails is of the first.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
final class VerbsPreparedRequests extends CopiedRequests {
    private final int queueIndex;
    private final SendSlot[] slots;
    /** All that the requests name, each once. */
    private final VerbsRegion[] regions;
    /** Indices of what the device reports, in order. */
    private final int[] signaled;
    /** Null where each post must look at the requests again: their payload goes into them, or one is wrong in itself. */
    private final SendRequests sends;

    VerbsPreparedRequests(VerbsQueuePair queuePair, int queueIndex, WorkRequest head, RequestCheck check, int sendDepth,
            RequestFaults faults, int inlineByteSizeMax) {
        super(queuePair, head, check, sendDepth);
        this.queueIndex = queueIndex;
        int last = count() - 1;
        slots = new SendSlot[count()];
        Set<VerbsRegion> named = new LinkedHashSet<>();
        boolean isSame = true;
        for (int i = 0; i <= last; i++) {
            WorkRequest request = from(i);
            slots[i] = new SendSlot(i);
            slots[i].fill(request);
            Arrays.stream(request.region).forEach(region -> named.add((VerbsRegion) region));
            isSame &= faults.find(request, slots[i].byteSize) == null
                    && !SendRequestWriter.isInline(request, slots[i].byteSize, inlineByteSizeMax);
        }
        regions = named.toArray(VerbsRegion[]::new);
        signaled = IntStream.rangeClosed(0, last).filter(i -> slots[i].isSignaled || i == last).toArray();
        sends = isSame ? write(check.elementCountMax()) : null;
    }

    private SendRequests write(int elementCountMax) {
        SendRequests written = new SendRequests(count(), elementCountMax);
        for (int i = 0; i < slots.length; i++) {
            SendRequestWriter.write(written.get(i), VerbsCompletionQueue.listedId(queueIndex, i), from(i),
                    slots[i].byteSize, 0);
        }
        for (int i : signaled) {
            written.get(i).signaled();
        }
        return written;
    }

    /** Whether it can be handed to the device as it is. */
    boolean isReady() {
        boolean isReady = sends != null;
        for (VerbsRegion region : regions) {
            isReady &= region.isOpen();
        }
        return isReady;
    }

    SendSlot[] slots() {
        return slots;
    }

    /** @param first number of the first request */
    SendRequests numbered(long first) {
        for (int i : signaled) {
            sends.get(i).workRequestId(VerbsCompletionQueue.workRequestId(queueIndex, false, first + i));
        }
        return sends;
    }
}
