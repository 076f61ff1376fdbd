package dev.verbena.transfer.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.Edge;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** Each request ends exactly once, in order, whatever becomes of the queue pair. */
class EngineQueuePairTest {
    private static final int DEPTH = 2;

    private final FakeCompletionQueue queue = new FakeCompletionQueue();
    private final Engines engines = new Engines("device", List.of(queue), Progress.callers(), Edge.ofMachine(), true);
    private final FakeQueuePair fabric = new FakeQueuePair();
    private final Owner owner = new Owner();
    private final EngineQueuePair queuePair = new EngineQueuePair(engines.all().getFirst(), fabric, DEPTH, owner);
    private final List<String> ends = new ArrayList<>();

    EngineQueuePairTest() {
        engines.all().getFirst().execute(() -> queuePair.start((index, completion) -> {}, null, 0, 0, 0));
    }

    @Test
    void requestsBeyondTheSendQueueWaitAndKeepTheirOrder() {
        for (String name : List.of("a", "b", "c", "d")) {
            queuePair.execute(new Named(name));
        }
        assertEquals(DEPTH, fabric.posted.size());
        assertEquals(4, queuePair.outstanding());
        completeAll();
        assertEquals(List.of("a: null", "b: null", "c: null", "d: null"), ends);
        assertEquals(0, queuePair.outstanding());
    }

    @Test
    void whoWaitsHearsOfTheFailureAtOnceAndWhoIsPostedWhenFlushed() {
        for (String name : List.of("a", "b", "c", "d")) {
            queuePair.execute(new Named(name));
        }
        owner.failure = "peer is gone";
        engines.all().getFirst().execute(queuePair::fail);
        assertEquals(List.of("c: peer is gone", "d: peer is gone"), ends);
        assertEquals("peer is gone", fabric.failedWith);
        completeAll(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertEquals(List.of("c: peer is gone", "d: peer is gone", "a: peer is gone", "b: peer is gone"), ends);
        assertEquals(0, queuePair.outstanding());
    }

    /** The fabric says nothing of what was posted on a queue pair that is closed. */
    @Test
    void abandonEndsWhatIsPostedAndWhatWaits() {
        for (String name : List.of("a", "b", "c", "d")) {
            queuePair.execute(new Named(name));
        }
        owner.failure = "closed";
        engines.all().getFirst().execute(queuePair::abandon);
        assertEquals(List.of("a: closed", "b: closed", "c: closed", "d: closed"), ends.stream().sorted().toList());
        assertEquals(0, queuePair.outstanding());
    }

    @Test
    void afterAFailureNothingIsPosted() {
        owner.failure = "peer is gone";
        queuePair.execute(new Named("late"));
        assertEquals(List.of("late: peer is gone"), ends);
        assertEquals(0, fabric.posted.size());
    }

    /** Another queue pair of the connection may have failed, and this one goes on until it is told. */
    @Test
    void afterAFailureNoneOfThoseThatWaitIsPosted() {
        for (String name : List.of("a", "b", "c", "d")) {
            queuePair.execute(new Named(name));
        }
        owner.failure = "peer is gone";
        completeAll();
        assertEquals(List.of("a: null", "b: null"), ends);
        assertEquals(0, fabric.posted.size());
        engines.all().getFirst().execute(queuePair::fail);
        assertEquals(List.of("a: null", "b: null", "c: peer is gone", "d: peer is gone"), ends);
    }

    @Test
    void aFailedRequestFailsTheOwnerAndHearsItsOwnCause() {
        queuePair.execute(new Named("a"));
        queuePair.execute(new Named("b"));
        complete(CompletionStatus.REMOTE_ACCESS_ERROR);
        complete(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertEquals("status=REMOTE_ACCESS_ERROR peer=bob: as the test wants", owner.failure);
        assertEquals(List.of("a: " + owner.failure, "b: " + owner.failure), ends);
    }

    @Test
    void aRequestThatIsWrongInItselfEndsAloneAndTheNextGoesOn() {
        fabric.refusal = "bad element";
        queuePair.execute(new Named("a"));
        assertEquals(1, ends.size());
        assertTrue(ends.getFirst().contains("bad element"), ends.getFirst());
        fabric.refusal = null;
        queuePair.execute(new Named("b"));
        completeAll();
        assertEquals("b: null", ends.getLast());
        assertEquals(null, owner.failure);
    }

    /** What a user's callback throws is its own matter. */
    @Test
    void aCallbackThatThrowsLosesNothing() {
        queuePair.execute(new Named("a") {
            @Override
            protected void onDone(String failure) {
                throw new IllegalStateException("on purpose");
            }
        });
        for (String name : List.of("b", "c", "d")) {
            queuePair.execute(new Named(name));
        }
        completeAll();
        assertEquals(List.of("b: null", "c: null", "d: null"), ends);
        assertEquals(0, queuePair.outstanding());
    }

    /** As a tensor does that goes in several writes. */
    @Test
    void aRequestMaySubmitItselfAgain() {
        queuePair.execute(new Named("a") {
            private int parts = 3;

            @Override
            protected void onDone(String failure) {
                if (failure == null && --parts > 0) {
                    queuePair.submit(this);
                } else {
                    super.onDone(failure);
                }
            }
        });
        completeAll();
        assertEquals(List.of("a: null"), ends);
        assertEquals(3, fabric.postedEver);
    }

    /** When there is room again. */
    @Test
    void thoseThatWaitAreOneList() {
        queuePair.execute(new Named("a", 2));
        queuePair.execute(new Named("b"));
        queuePair.execute(new Named("c"));
        assertEquals(List.of("2 signaled=1"), fabric.lists);
        completeAll();
        assertEquals(List.of("2 signaled=1", "2 signaled=2"), fabric.lists);
        assertEquals(List.of("a: null", "b: null", "c: null"), ends);
    }

    /** A list that is longer than the queue is deep goes in pieces, each signaled at its end, and is done once. */
    @Test
    void ofAListOnlyTheLastIsSignaled() {
        queuePair.execute(new Named("a", 5));
        assertEquals(List.of("2 signaled=1"), fabric.lists);
        queuePair.execute(new Named("b", 1));
        completeAll();
        assertEquals(List.of("2 signaled=1", "2 signaled=1", "2 signaled=2"), fabric.lists);
        assertEquals(List.of("a: null", "b: null"), ends);
        assertEquals(0, queuePair.outstanding());
    }

    /** Whatever was done without a word before. */
    @Test
    void aListHearsOfItsFailureOnceAndWhenNothingOfItIsInFlight() {
        queuePair.execute(new Named("a", 2));
        complete(CompletionStatus.REMOTE_ACCESS_ERROR);
        assertEquals(List.of(), ends);
        complete(CompletionStatus.WORK_REQUEST_FLUSHED);
        assertEquals(List.of("a: status=REMOTE_ACCESS_ERROR peer=bob: as the test wants"), ends);
    }

    @Test
    void ofAListThatFailsWhatWaitsIsNotPosted() {
        queuePair.execute(new Named("a", 5));
        fabric.posted.removeFirst();
        complete(CompletionStatus.REMOTE_ACCESS_ERROR);
        engines.all().getFirst().execute(queuePair::fail);
        assertEquals(List.of("a: status=REMOTE_ACCESS_ERROR peer=bob: as the test wants"), ends);
        assertEquals(2, fabric.postedEver);
        assertEquals(0, queuePair.outstanding());
    }

    /** A fabric may take less than there is room for; then nobody is told of what it has taken, and the rest goes at once. */
    @Test
    void aListThatIsTakenInPartGoesOn() {
        fabric.takesAtATime = 1;
        queuePair.execute(new Named("a", 2));
        assertEquals(2, fabric.postedEver);
        completeAll();
        assertEquals(List.of("a: null"), ends);
    }

    /** Beside others that are not. */
    @Test
    void oneOfThoseThatWaitIsWrongInItselfAndEndsAlone() {
        for (String name : List.of("a", "b", "wrong", "d")) {
            queuePair.execute(new Named(name));
        }
        fabric.refusedImmediate = "wrong".hashCode();
        completeAll();
        assertEquals(List.of("a: null", "b: null", "d: null", "wrong: peer=bob takes no such request: bad element"),
                ends.stream().sorted().toList());
    }

    private void completeAll() {
        completeAll(CompletionStatus.SUCCESS);
    }

    private void completeAll(CompletionStatus status) {
        while (!fabric.posted.isEmpty()) {
            complete(status);
        }
    }

    private void complete(CompletionStatus status) {
        long id = fabric.posted.removeFirst();
        while (status == CompletionStatus.SUCCESS && fabric.silent.contains(id)) {
            id = fabric.posted.removeFirst();
        }
        complete(id, status);
    }

    private void complete(long id, CompletionStatus status) {
        Completion completion = new Completion();
        completion.workRequestId = id;
        completion.status = status;
        completion.queuePair = fabric;
        completion.cause = status == CompletionStatus.SUCCESS ? null : "as the test wants";
        queue.completions.add(completion);
        engines.progress();
    }

    private class Named extends Request {
        private final String name;

        Named(String name) {
            this(name, 1);
        }

        Named(String name, int count) {
            super(1);
            this.name = name;
            for (int i = 0; i < count; i++) {
                listed(i).immediate = name.hashCode();
            }
        }

        @Override
        protected void onDone(String failure) {
            ends.add(name + ": " + failure);
        }
    }

    private static final class Owner implements EngineQueuePair.Owner {
        private String failure;

        @Override
        public void onFailure(String cause, boolean isPeers) {
            failure = failure == null ? cause : failure;
        }

        @Override
        public String failure() {
            return failure;
        }
    }

    /** Takes as many requests as it is deep. */
    private static final class FakeQueuePair implements QueuePair {
        private final List<Long> posted = new ArrayList<>();
        /** Of them, those of whose success nobody is told. */
        private final List<Long> silent = new ArrayList<>();
        private final List<String> lists = new ArrayList<>();
        private int postedEver;
        private int takesAtATime = DEPTH;
        private int refusedImmediate;
        private String refusal;
        private String failedWith;

        @Override
        public int number() {
            return 7;
        }

        @Override
        public State state() {
            return failedWith == null ? State.READY : State.ERROR;
        }

        @Override
        public boolean writesInOrder() {
            return false;
        }

        @Override
        public Connection connection() {
            return new FakeConnection();
        }

        @Override
        public CompletionQueue completionQueue() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int post(WorkRequest head) {
            if (refusal != null) {
                throw new IllegalArgumentException(refusal);
            }
            for (WorkRequest each = head; each != null; each = each.next) {
                if (refusedImmediate != 0 && each.immediate == refusedImmediate) {
                    throw new IllegalArgumentException("bad element");
                }
            }
            int count = 0;
            int signaled = 0;
            for (WorkRequest each = head; each != null && posted.size() < DEPTH && count < takesAtATime;) {
                posted.add(each.workRequestId);
                silent.remove(each.workRequestId);
                if (each.signaled) {
                    signaled++;
                } else {
                    silent.add(each.workRequestId);
                }
                count++;
                each = each.next;
            }
            postedEver += count;
            lists.add(count + " signaled=" + signaled);
            return count;
        }

        @Override
        public boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void fail(String cause) {
            failedWith = cause;
        }
    }

    private record FakeConnection() implements Connection {
        @Override
        public String peerName() {
            return "bob";
        }

        @Override
        public Endpoint peerEndpoint() {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<QueuePair> queuePairs() {
            throw new UnsupportedOperationException();
        }

        @Override
        public String lostCause() {
            return null;
        }

        @Override
        public void abort(String cause) {}

        @Override
        public void close() {}
    }
}
