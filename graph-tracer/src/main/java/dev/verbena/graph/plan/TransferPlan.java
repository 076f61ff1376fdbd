package dev.verbena.graph.plan;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Variable;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;

/**
 * What crosses between tasks, how, and how much registered memory each task needs for it before it starts (EuroSys'19 §3.4,
 * "Preallocate data buffers"). It is made from the graph, and from options and a fabric that all tasks share, so every task makes the same one.
 *
 * <p>A task registers, as sender, each of its crossing tensors once, to whomever it goes, those that such a tensor may be in place of if both
 * can be there at the same time ({@link InPlaceChains}), one byte for all that say that a node has run, and as receiver the slots of each edge, if
 * it has some. The sender's share holds the tensors themselves once their allocation sites are known, and their copies before.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class TransferPlan {
    /**
     * How an edge's tensors get across.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public enum Protocol {
        /** The shape is known: the receiver's slots are allocated before the run and written to directly (EuroSys'19 §3.2). */
        STATIC_PLACEMENT,
        /** The receiver reads the sender's variable where it lies, and the sender changes it only when that is done: nothing moves. */
        LOAN,
        /** The shape is known only at run time, or whether there is a tensor at all (EuroSys'19 §3.3). */
        DYNAMIC_ALLOCATION,
        /** Somebody else brings it across, who needs no registered memory. */
        CARRIED
    }

    /**
     * One crossing edge as it is going to be served.
     *
     * <p><b>Owner:</b> the plan. <b>Threading:</b> immutable.
     *
     * @param slots at the receiver; 0 where they cannot be allocated before the run, or there are none
     * @param byteSize of one tensor; -1 where that is not known before the run
     */
    public record Transfer(CrossingEdge edge, Protocol protocol, int slots, long byteSize) {
        private static Transfer of(CrossingEdge edge, int depth) {
            return edge.isStatic()
                    ? new Transfer(edge, Protocol.STATIC_PLACEMENT, depth,
                            shape(edge).byteSize(edge.type().elementType()))
                    : new Transfer(edge, Protocol.DYNAMIC_ALLOCATION, 0, -1);
        }

        private Transfer lent() {
            return new Transfer(edge, Protocol.LOAN, 0, byteSize);
        }

        private boolean isLentTo(String task) {
            return protocol == Protocol.LOAN && edge.toTask().equals(task);
        }

        /** Whether its tensors are of known size, and registered by who sends them. */
        private boolean isPlanned() {
            return protocol == Protocol.STATIC_PLACEMENT || protocol == Protocol.LOAN;
        }

        private Transfer carried() {
            return new Transfer(edge, Protocol.CARRIED, 0, byteSize);
        }
    }

    /** Of what a task sends to say that a node has run; one tensor, whichever node. */
    public static final long CONTROL_BYTE_SIZE = 1;
    /** Of what a run tells a peer before its tensors. */
    public static final int NOTICE_BYTE_SIZE = 512;
    /** Who sets the session up, and who runs it. */
    public static final int ALLOCATING_THREADS = 2;
    /**
     * Slack on top of what the arena needs to hold everything at once, of what comes and goes: in an order that varies, so holes between tensors may
     * be a little too small for the next. The share is far below the quarter that users are promised at most.
     */
    private static final long SLACK_SHARE = 32;
    private static final long SLACK_BYTE_SIZE = 1L << 13;

    private final Graph graph;
    private final int depth;
    private final int allocatingThreads;
    private final List<Transfer> transfers;

    private TransferPlan(Graph graph, int depth, int allocatingThreads, List<Transfer> transfers) {
        this.graph = graph;
        this.depth = depth;
        this.allocatingThreads = allocatingThreads;
        this.transfers = transfers;
    }

    /**
     * The plan of a graph.
     *
     * @param depth slots per edge, at least 1
     */
    public static TransferPlan of(Graph graph, int depth) {
        return of(graph, depth, ALLOCATING_THREADS);
    }

    /**
     * The same, with room for what more threads allocate; of no concern to other tasks.
     *
     * @param allocatingThreads at least 1
     */
    public static TransferPlan of(Graph graph, int depth, int allocatingThreads) {
        return new TransferPlan(graph, depth, allocatingThreads,
                CrossingEdge.of(graph).stream().map(edge -> Transfer.of(edge, depth)).toList());
    }

    /** The same edges where somebody else carries their tensors: what is registered is for what runs tell each other. */
    public TransferPlan carried() {
        return new TransferPlan(graph, depth, allocatingThreads, transfers.stream().map(Transfer::carried).toList());
    }

    /**
     * The same edges where tasks map each other's memory: variables of that size or more are lent. A variable is, since a change of one waits for its
     * readers in any case, on whatever task, and its memory becomes no other tensor's. One that its receiver hands on, under another name, to a third
     * task is not: it has to lie in the receiver's own registered memory.
     */
    public TransferPlan lending(long byteSizeMin) {
        return new TransferPlan(graph, depth, allocatingThreads, transfers.stream()
                .map(transfer -> isLent(transfer, byteSizeMin) ? transfer.lent() : transfer).toList());
    }

    private boolean isLent(Transfer transfer, long byteSizeMin) {
        CrossingEdge edge = transfer.edge;
        return transfer.protocol == Protocol.STATIC_PLACEMENT && edge.producer().operation() instanceof Variable
                && !edge.isControl() && transfer.byteSize >= byteSizeMin && !isHandedOn(edge.readers());
    }

    private boolean isHandedOn(Collection<Graph.Node> readers) {
        return readers.stream().filter(reader -> reader.operation().forwards()).anyMatch(alias -> {
            Collection<Graph.Node> others = graph.readers(alias.output());
            return others.stream().anyMatch(other -> !other.task().equals(alias.task())) || isHandedOn(others);
        });
    }

    /** Whether the task lends variables. */
    public boolean lends(String task) {
        return transfers.stream().anyMatch(transfer -> transfer.protocol == Protocol.LOAN
                && transfer.edge.fromTask().equals(task));
    }

    /** One for each crossing edge, in the order of their producers. */
    public List<Transfer> transfers() {
        return transfers;
    }

    /** The shape of a static edge. */
    public static Shape shape(CrossingEdge edge) {
        return edge.type().shape().toShape();
    }

    /**
     * Sixteen hexadecimal digits that tell this plan from others: edges, protocols, slots, types, and who reads what crosses. Tasks whose plans
     * differ do not run together.
     */
    public String fingerprint() {
        return Fingerprint.of(transfers.stream().map(transfer -> transfer.edge + " " + transfer.protocol + " "
                + transfer.slots + " " + transfer.edge.type() + " " + transfer.edge.readers()));
    }

    /** Whether an edge from or to the task has tensors whose shape only the run tells. */
    public boolean isDynamic(String task) {
        return transfers.stream().anyMatch(transfer -> transfer.protocol == Protocol.DYNAMIC_ALLOCATION
                && (transfer.edge.fromTask().equals(task) || transfer.edge.toTask().equals(task)));
    }

    /**
     * Bytes of registered memory that the task needs for its static edges: its sent tensors and its slots as an arena rounds them, what runs tell
     * its peers and hear of them, and slack.
     *
     * @throws IllegalArgumentException if the graph has no such task
     */
    public long plannedByteSize(String task) {
        Partition.checkTask(graph, task);
        LongStream.Builder byteSizes = LongStream.builder();
        Set<Graph.Output> sent = new HashSet<>();
        boolean controls = false;
        InPlaceChains chains = new InPlaceChains(graph);
        for (Transfer transfer : transfers) {
            CrossingEdge edge = transfer.edge;
            if (!transfer.isPlanned()) {
                continue;
            }
            if (edge.fromTask().equals(task) && edge.isControl()) {
                controls = true;
            } else if (edge.fromTask().equals(task)) {
                Set<Graph.Output> born = chains.besides(edge.output());
                born.add(edge.output());
                // Each is of the sent tensor's type and number of elements.
                born.stream().filter(sent::add).forEach(output -> byteSizes.add(transfer.byteSize));
            }
        }
        if (controls) {
            byteSizes.add(CONTROL_BYTE_SIZE);
        }
        transfers.stream().filter(transfer -> transfer.isLentTo(task))
                .forEach(transfer -> byteSizes.add(RdmaDevice.dynamicReceiverBufferByteSize(depth)));
        edgesOf(task, CrossingEdge::fromTask).map(CrossingEdge::toTask).distinct()
                .forEach(peer -> byteSizes.add(NOTICE_BYTE_SIZE));
        long slots = slotByteSize(task);
        if (slots > 0) {
            byteSizes.add(slots);
        }
        long exact = TensorArena.plannedByteSize(allocatingThreads, byteSizes.build().toArray());
        return exact == 0 ? 0 : exact + (exact - slots) / SLACK_SHARE + SLACK_BYTE_SIZE;
    }

    /**
     * Bytes of the one block for all slots of what the task receives: its static edges, and what runs of its peers tell it. It is there from set-up
     * to the end.
     */
    public long slotByteSize(String task) {
        long edges = transfers.stream()
                .filter(transfer -> transfer.protocol == Protocol.STATIC_PLACEMENT
                        && transfer.edge.toTask().equals(task))
                .mapToLong(transfer -> RdmaDevice.receiverBufferByteSize(transfer.edge.type().elementType(),
                        shape(transfer.edge), transfer.slots))
                .sum();
        long peers = edgesOf(task, CrossingEdge::toTask).map(CrossingEdge::fromTask).distinct().count();
        return edges + peers * RdmaDevice.receiverBufferByteSize(ElementType.UINT8, Shape.of(NOTICE_BYTE_SIZE),
                noticeSlots(depth));
    }

    /** Bytes that the devices of all tasks take for loans beside what is planned. */
    public long lendingByteSize() {
        return 2 * RdmaDevice.lendingByteSize()
                * transfers.stream().filter(transfer -> transfer.protocol == Protocol.LOAN).count();
    }

    private Stream<CrossingEdge> edgesOf(String task, Function<CrossingEdge, String> end) {
        return transfers.stream().map(Transfer::edge).filter(edge -> end.apply(edge).equals(task));
    }

    /** One more than for tensors: what a run tells is not held up by what it is told before. */
    public static int noticeSlots(int depth) {
        return depth + 1;
    }

    /** Bytes of the tensors of known shape that the task sends when everything runs once. */
    public long crossingByteSize(String task) {
        return transfers.stream()
                .filter(transfer -> transfer.byteSize >= 0 && transfer.edge.fromTask().equals(task))
                .mapToLong(Transfer::byteSize).sum();
    }

    /**
     * Bytes of the tensors of known shape that lie in the task's registered memory when all that cross are there at once: each that it sends,
     * however many tasks read it, and each slot of those that it receives. What is {@linkplain #plannedByteSize planned} beyond is rounding,
     * slack, notices, and what tensors are in place of.
     *
     * @throws IllegalArgumentException if the graph has no such task
     */
    public long crossingPeakByteSize(String task) {
        Partition.checkTask(graph, task);
        Set<Object> sent = new HashSet<>();
        return transfers.stream().filter(Transfer::isPlanned)
                .mapToLong(transfer -> transfer.edge.toTask().equals(task)
                        ? transfer.slots * transfer.byteSize
                        : transfer.edge.fromTask().equals(task)
                                && sent.add(transfer.edge.isControl() ? task : transfer.edge.output())
                                        ? transfer.byteSize
                                        : 0)
                .sum();
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
