package example.fabric;

import java.lang.foreign.MemorySegment;
import java.util.List;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.PeerMemory;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** A connection whose queue pairs count. */
final class TalliedConnection implements Connection {
    private final TalliedFabric fabric;
    private final Connection carrier;
    private final List<QueuePair> queuePairs;

    TalliedConnection(TalliedFabric fabric, Connection carrier) {
        this.fabric = fabric;
        this.carrier = carrier;
        queuePairs = carrier.queuePairs().stream().<QueuePair>map(Pair::new).toList();
    }

    QueuePair of(QueuePair carried) {
        return queuePairs.stream().filter(each -> ((Pair) each).pair == carried).findFirst().orElseThrow();
    }

    @Override
    public String peerName() {
        return carrier.peerName();
    }

    @Override
    public Endpoint peerEndpoint() {
        return carrier.peerEndpoint();
    }

    @Override
    public List<QueuePair> queuePairs() {
        return queuePairs;
    }

    @Override
    public String lostCause() {
        return carrier.lostCause();
    }

    @Override
    public void whenQuiet(Runnable then) {
        carrier.whenQuiet(then);
    }

    @Override
    public PeerMemory mapPeer(long rkey) {
        return carrier.mapPeer(rkey);
    }

    @Override
    public PeerMemory mapPeerForReading(long rkey) {
        return carrier.mapPeerForReading(rkey);
    }

    @Override
    public void abort(String cause) {
        carrier.abort(cause);
    }

    @Override
    public void close() {
        carrier.close();
    }

    /** A queue pair of it. */
    private final class Pair implements QueuePair {
        private final QueuePair pair;
        private final TalliedCompletionQueue queue;

        Pair(QueuePair pair) {
            this.pair = pair;
            queue = fabric.of(pair.completionQueue());
        }

        @Override
        public int number() {
            return pair.number();
        }

        @Override
        public State state() {
            return pair.state();
        }

        @Override
        public boolean writesInOrder() {
            return pair.writesInOrder();
        }

        @Override
        public Connection connection() {
            return TalliedConnection.this;
        }

        @Override
        public CompletionQueue completionQueue() {
            return queue;
        }

        @Override
        public int post(WorkRequest head) {
            int posted = pair.post(carried(head));
            fabric.count(head, posted);
            return posted;
        }

        @Override
        public boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
            return fabric.count(Opcode.WRITE, byteSize, pair.tryPut(source, offset, byteSize, address, rkey));
        }

        @Override
        public boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
            return fabric.count(Opcode.WRITE, Long.BYTES, pair.tryPutWord(address, rkey, word, tellsPolls));
        }

        @Override
        public boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
            return fabric.count(Opcode.READ, byteSize, pair.tryGet(address, rkey, target, offset, byteSize));
        }

        @Override
        public boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize) {
            return pair.postReceive(workRequestId, TalliedRegion.carried(region), offset, byteSize);
        }

        @Override
        public void fail(String cause) {
            pair.fail(cause);
        }

        /** The list again, of the carrier's regions; nothing of it is kept. */
        private WorkRequest carried(WorkRequest head) {
            WorkRequest first = null;
            WorkRequest last = null;
            for (WorkRequest each = head; each != null; each = each.next) {
                WorkRequest copy = new WorkRequest(each.region.length);
                copy.set(each);
                for (int i = 0; i < each.elementCount; i++) {
                    copy.region[i] = TalliedRegion.carried(each.region[i]);
                }
                if (first == null) {
                    first = copy;
                } else {
                    last.next = copy;
                }
                last = copy;
            }
            return first;
        }
    }
}
