package dev.verbena.graph;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;

/**
 * What crosses between tasks, how, and how much registered memory each task needs for it before it starts (EuroSys'19 §3.4,
 * "Preallocate data buffers"). It is made from the graph alone, so every task makes the same one.
 *
 * <p>A task registers, as sender, each of its crossing tensors once, to whomever it goes, and as receiver the slots of each
 * edge. The sender's share holds the tensors themselves once their allocation sites are known, and their copies before.
 */
final class TransferPlan {
    /** How an edge's tensors get across. */
    enum Protocol {
        /** The shape is known: the receiver's slots are allocated before the run and written to directly (EuroSys'19 §3.2). */
        STATIC_PLACEMENT,
        /** The shape is known only at run time (EuroSys'19 §3.3). */
        DYNAMIC_ALLOCATION
    }

    /**
     * One crossing edge as it is going to be served.
     *
     * @param slots at the receiver; 0 where they cannot be allocated before the run
     * @param byteSize of one tensor; -1 where that is not known before the run
     */
    record Transfer(CrossingEdge edge, Protocol protocol, int slots, long byteSize) {
        private static Transfer of(CrossingEdge edge, int depth) {
            return edge.type().isStatic()
                    ? new Transfer(edge, Protocol.STATIC_PLACEMENT, depth,
                            shape(edge).byteSize(edge.type().elementType()))
                    : new Transfer(edge, Protocol.DYNAMIC_ALLOCATION, 0, -1);
        }
    }

    /** Who sets the session up, and who runs it. */
    private static final int ALLOCATING_THREADS = 2;
    /**
     * Slack on top of what the arena needs to hold everything at once. Tensors come and go in an order that varies, so holes
     * between them may be a little too small for the next; the share is far below the quarter that users are promised at most.
     */
    private static final long SLACK_SHARE = 32;
    private static final long SLACK_BYTE_SIZE = 1L << 16;

    private final List<Transfer> transfers;

    private TransferPlan(List<Transfer> transfers) {
        this.transfers = transfers;
    }

    static TransferPlan of(Graph graph, SessionOptions options) {
        return new TransferPlan(
                CrossingEdge.of(graph).stream().map(edge -> Transfer.of(edge, options.depth())).toList());
    }

    List<Transfer> transfers() {
        return transfers;
    }

    /** The shape of a static edge. */
    static Shape shape(CrossingEdge edge) {
        return edge.type().shape().toShape();
    }

    /** @throws IllegalArgumentException if an edge from or to the task cannot be placed statically */
    void checkStatic(String task) {
        for (Transfer transfer : transfers) {
            CrossingEdge edge = transfer.edge;
            if (concerns(edge, task) && transfer.protocol != Protocol.STATIC_PLACEMENT) {
                throw new IllegalArgumentException("edge " + edge + " from task=" + edge.fromTask() + " has type="
                        + edge.type()
                        + ", known only at run time, and cannot be transferred yet; give node '" + edge.output().node()
                        + "' known dimensions or place its readers on its own task");
            }
        }
    }

    /** Bytes of registered memory that the task needs: its sent tensors and its slots as an arena rounds them, and slack. */
    long plannedByteSize(String task) {
        checkStatic(task);
        LongStream.Builder byteSizes = LongStream.builder();
        Set<Graph.Output> sent = new HashSet<>();
        for (Transfer transfer : transfers) {
            CrossingEdge edge = transfer.edge;
            if (edge.fromTask().equals(task) && sent.add(edge.output())) {
                byteSizes.add(transfer.byteSize);
            } else if (edge.toTask().equals(task)) {
                byteSizes
                        .add(RdmaDevice.receiverBufferByteSize(edge.type().elementType(), shape(edge), transfer.slots));
            }
        }
        long exact = TensorArena.plannedByteSize(ALLOCATING_THREADS, byteSizes.build().toArray());
        return exact == 0 ? 0 : exact + exact / SLACK_SHARE + SLACK_BYTE_SIZE;
    }

    /** Bytes of the tensors that the task sends when everything runs once. */
    long crossingByteSize(String task) {
        return transfers.stream().filter(transfer -> transfer.edge.fromTask().equals(task))
                .mapToLong(Transfer::byteSize).sum();
    }

    private static boolean concerns(CrossingEdge edge, String task) {
        return edge.fromTask().equals(task) || edge.toTask().equals(task);
    }

    /** A table with a line per edge. */
    @Override
    public String toString() {
        int width = transfers.stream().mapToInt(transfer -> transfer.edge.name().length()).max().orElse(0);
        String row = "%-" + Math.max(width, "edge".length()) + "s  %-18s  %5s  %12s  %s%n";
        StringBuilder table = new StringBuilder(String.format(row, "edge", "protocol", "slots", "byteSize", "type"));
        for (Transfer transfer : transfers) {
            table.append(String.format(row, transfer.edge, transfer.protocol, transfer.slots,
                    transfer.byteSize < 0 ? "?" : transfer.byteSize, transfer.edge.type()));
        }
        return table.toString();
    }
}
