package dev.verbena.cli.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * The queue pair over which the two sides agree and keep step, with a completion queue of its own: waiting here sleeps, so that a
 * side with nothing to do leaves the CPU to the other.
 *
 * <p>The sides speak in turn, so that no more than two messages can be on their way to one of them.
 *
 * <p>Threading: confined to the command's thread.
 */
final class ControlPair implements CompletionHandler {
    static final int DEPTH = 4;
    private static final int WORDS = 8;
    private static final long MESSAGE_BYTE_SIZE = WORDS * JAVA_LONG.byteSize();
    private static final long AWAIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final Trouble trouble;
    private final MemoryRegion region;
    private final WorkRequest send = new WorkRequest(1);
    private long sent;
    private long received;
    private long taken;

    ControlPair(Fabric fabric, QueuePair queuePair, Trouble trouble) {
        this.queuePair = queuePair;
        this.trouble = trouble;
        queue = queuePair.completionQueue();
        region = fabric.register((DEPTH + 1) * MESSAGE_BYTE_SIZE, Set.of(AccessRight.LOCAL_WRITE));
        for (int i = 0; i < DEPTH; i++) {
            postReceive(i);
        }
    }

    private void postReceive(int slot) {
        queuePair.postReceive(slot, region, slot * MESSAGE_BYTE_SIZE, MESSAGE_BYTE_SIZE);
    }

    /** Returns when the peer has it. */
    void send(long... words) {
        long offset = DEPTH * MESSAGE_BYTE_SIZE;
        for (int i = 0; i < words.length; i++) {
            region.memory().set(JAVA_LONG, offset + i * JAVA_LONG.byteSize(), words[i]);
        }
        long target = sent + 1;
        queuePair.post(send.reset(0, Opcode.SEND).element(region, offset, MESSAGE_BYTE_SIZE));
        await(() -> sent == target);
    }

    long[] receive() {
        await(() -> received > taken);
        int slot = (int) (taken++ % DEPTH);
        long[] words = region.memory().asSlice(slot * MESSAGE_BYTE_SIZE, MESSAGE_BYTE_SIZE).toArray(JAVA_LONG);
        postReceive(slot);
        return words;
    }

    /** What has come counts, even if the peer is gone by now: it leaves when it has said its last word. */
    private void await(BooleanSupplier isDone) {
        while (!isDone.getAsBoolean()) {
            trouble.throwIfAny();
            if (queue.poll(this, DEPTH) == 0) {
                queue.await(AWAIT_NS);
            }
        }
    }

    @Override
    public void onCompletion(Completion completion) {
        if (!trouble.judge(completion)) {
            return;
        }
        if (completion.opcode == Opcode.RECEIVE) {
            received++;
        } else {
            sent++;
        }
    }
}
