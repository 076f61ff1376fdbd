package dev.verbena.cli.perf;

import java.util.Arrays;
import java.util.List;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * The client of a bandwidth test: keeps every send queue full, in perftest's order ({@code run_iter_bw}): post to each queue pair
 * what fits, then poll once.
 *
 * <pre>
 *   of each queue pair: completed <= posted <= min(completed + depth, iterations)
 *   what is signaled stands for all unsignaled ones before it
 * </pre>
 *
 * <p>Threading: confined to the command's thread.
 */
final class PostingPart implements Part, CompletionHandler {
    private static final int POLL_COUNT_MAX = 16;

    private final CompletionQueue queue;
    private final Trouble trouble;
    private final QueuePair[] queuePairs;
    /** Per queue pair, with {@code listSize} 1: requests that are posted in turn and walk through the buffer. */
    private final WorkRequest[][] singles;
    /** Per queue pair, with a larger {@code listSize}. */
    private final WorkRequest[] lists;
    private final int listSize;
    private final int depth;
    private final int signalEvery;
    private final BandwidthSamples samples;

    private final long[] posted;
    private final long[] completed;
    private long postedInAll;
    private long completedInAll;
    private long iterations;

    PostingPart(Side side, long byteSize, long iterations) {
        PerfOptions options = side.options();
        queue = side.queue();
        trouble = side.trouble();
        List<QueuePair> pairs = side.queuePairs();
        queuePairs = pairs.toArray(QueuePair[]::new);
        listSize = options.listSize();
        depth = options.depth(iterations);
        signalEvery = options.signalEvery(iterations);
        singles = new WorkRequest[queuePairs.length][];
        lists = new WorkRequest[queuePairs.length];
        for (int i = 0; i < queuePairs.length; i++) {
            if (listSize == 1) {
                singles[i] = singles(side, i, byteSize);
            } else {
                lists[i] = list(side, i, byteSize);
            }
        }
        samples = new BandwidthSamples(byteSize, iterations * queuePairs.length, options.hasPeak(), listSize);
        posted = new long[queuePairs.length];
        completed = new long[queuePairs.length];
    }

    private static WorkRequest[] singles(Side side, int queuePair, long byteSize) {
        WorkRequest[] requests = new WorkRequest[Buffers.places(byteSize)];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = request(side, queuePair, byteSize, i);
        }
        return requests;
    }

    private WorkRequest list(Side side, int queuePair, long byteSize) {
        WorkRequest head = null;
        for (int i = listSize - 1; i >= 0; i--) {
            WorkRequest request = request(side, queuePair, byteSize, i);
            request.signaled = (i + 1) % signalEvery == 0;
            request.next = head;
            head = request;
        }
        return head;
    }

    private static WorkRequest request(Side side, int queuePair, long byteSize, int number) {
        long place = Buffers.place(number, byteSize);
        WorkRequest request = new WorkRequest(1).reset(queuePair, side.options().test().opcode)
                .element(side.buffers().region, side.buffers().sendOffset(queuePair) + place, byteSize);
        return side.options().test().isSend() ? request
                : request.remote(side.remoteAddress(queuePair) + place, side.peer().rkey());
    }

    @Override
    public void run(long iterations) {
        this.iterations = iterations;
        postedInAll = 0;
        completedInAll = 0;
        Arrays.fill(posted, 0);
        Arrays.fill(completed, 0);
        long total = iterations * queuePairs.length;
        samples.begin();
        while (completedInAll < total) {
            for (int i = 0; i < queuePairs.length; i++) {
                fill(i);
            }
            queue.poll(this, POLL_COUNT_MAX);
            trouble.throwIfAny();
        }
        samples.end(total);
    }

    private void fill(int index) {
        while (posted[index] < iterations && posted[index] + listSize <= completed[index] + depth) {
            post(index);
        }
    }

    private void post(int index) {
        long number = posted[index];
        samples.posted(postedInAll);
        int count = listSize == 1 ? postSingle(index, number) : queuePairs[index].post(lists[index]);
        if (count != listSize) {
            trouble.note("the send queue took " + count + " of a list of " + listSize + " with " + (number
                    - completed[index]) + " outstanding of depth=" + depth);
        }
        posted[index] = number + listSize;
        postedInAll += listSize;
    }

    private int postSingle(int index, long number) {
        WorkRequest[] turns = singles[index];
        WorkRequest request = turns.length == 1 ? turns[0] : turns[(int) (number % turns.length)];
        request.signaled = (number + 1) % signalEvery == 0 || number + 1 == iterations;
        return queuePairs[index].post(request);
    }

    @Override
    public void onCompletion(Completion completion) {
        if (!trouble.judge(completion)) {
            return;
        }
        int index = (int) completion.workRequestId;
        // The last one is signaled also where its number is no multiple.
        long count = Math.min(signalEvery, iterations - completed[index]);
        completed[index] += count;
        completedInAll += count;
        samples.completed(completedInAll);
    }

    @Override
    public Figures figures() {
        return samples.figures();
    }
}
