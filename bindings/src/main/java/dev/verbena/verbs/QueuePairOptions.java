package dev.verbena.verbs;

import java.util.function.Supplier;

/**
 * How a queue pair is made; the device may give more than asked for.
 *
 * @param type what it promises
 * @param sendQueue where sends report
 * @param receiveQueue where receives report; may be the same
 * @param sharedReceiveQueue where its receives come from; null for a receive queue of its own
 * @param sendDepth sends that may be outstanding
 * @param receiveDepth receives that may be posted
 * @param sendElementCountMax gather elements of a send
 * @param receiveElementCountMax scatter elements of a receive
 * @param inlineByteSizeMax bytes of inline data
 * @param signalsAll whether each send's success is reported, signaled or not
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_create_qp(3).
 */
public record QueuePairOptions(QueuePairType type, CompletionQueue sendQueue, CompletionQueue receiveQueue,
        SharedReceiveQueue sharedReceiveQueue, int sendDepth, int receiveDepth, int sendElementCountMax,
        int receiveElementCountMax, int inlineByteSizeMax, boolean signalsAll) {
    /** One completion queue, depth 16, one element, no inline data, selective signaling. */
    public static QueuePairOptions of(QueuePairType type, CompletionQueue queue) {
        return new QueuePairOptions(type, queue, queue, null, 16, 16, 1, 1, 0, false);
    }

    /** Where sends and where receives report, both of the queue pair's own device context; one queue for both unless set. */
    public QueuePairOptions withCompletionQueues(CompletionQueue send, CompletionQueue receive) {
        return new QueuePairOptions(type, send, receive, sharedReceiveQueue, sendDepth, receiveDepth,
                sendElementCountMax, receiveElementCountMax, inlineByteSizeMax, signalsAll);
    }

    /** Where receives come from; the own queue's depth and elements do not count then. Null, for a queue of its own, unless set. */
    public QueuePairOptions withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, queue, sendDepth, receiveDepth,
                sendElementCountMax, receiveElementCountMax, inlineByteSizeMax, signalsAll);
    }

    /** Sends that may be outstanding, and receives that may be posted, at the least; both 16 unless set. */
    public QueuePairOptions withDepth(int send, int receive) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, sharedReceiveQueue, send, receive,
                sendElementCountMax, receiveElementCountMax, inlineByteSizeMax, signalsAll);
    }

    /** Gather elements that a send may have, and scatter elements of a receive, at the least; both 1 unless set. */
    public QueuePairOptions withElementCountMax(int send, int receive) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, sharedReceiveQueue, sendDepth, receiveDepth, send,
                receive, inlineByteSizeMax, signalsAll);
    }

    /** Bytes that a send may carry in the request itself, without a memory region, at the least; 0 unless set. */
    public QueuePairOptions withInlineByteSizeMax(int byteSize) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, sharedReceiveQueue, sendDepth, receiveDepth,
                sendElementCountMax, receiveElementCountMax, byteSize, signalsAll);
    }

    /** Whether every send that succeeds is reported; false unless set: only {@linkplain SendRequest#signaled signaled} ones are. */
    public QueuePairOptions withSignalsAll(boolean all) {
        return new QueuePairOptions(type, sendQueue, receiveQueue, sharedReceiveQueue, sendDepth, receiveDepth,
                sendElementCountMax, receiveElementCountMax, inlineByteSizeMax, all);
    }

    /** @throws IllegalArgumentException if an object belongs to another context */
    void checkContext(DeviceContext context) {
        context.requireOwn(sendQueue.context(), sendQueue);
        context.requireOwn(receiveQueue.context(), receiveQueue);
        if (sharedReceiveQueue != null) {
            context.requireOwn(sharedReceiveQueue.context(), sharedReceiveQueue);
        }
    }

    /** Runs the call while none of what it names can be closed. */
    <T> T whileOpen(Supplier<T> call) {
        return sendQueue.whileOpen(() -> receiveQueue.whileOpen(
                () -> sharedReceiveQueue == null ? call.get() : sharedReceiveQueue.whileOpen(call)));
    }
}
