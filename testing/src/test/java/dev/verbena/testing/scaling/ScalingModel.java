package dev.verbena.testing.scaling;

/**
 * What one process of a cluster takes, by counts: the formulae of {@code docs/SCALING.md}.
 *
 * @param connections that it has made or accepted
 * @param senders of statically placed tensors
 * @param receivers of these
 * @param slots of each sender, at most 16
 * @param queuePairsPerPeer data queue pairs of a connection
 * @param queueDepth requests that a queue pair may have outstanding
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record ScalingModel(long connections, long senders, long receivers, int slots, int queuePairsPerPeer,
        int queueDepth) {
    static final int QUEUE_PAIRS_PER_PEER = 2;
    static final int QUEUE_DEPTH = 1024;
    /** A call and its answer may be outstanding each way, in two fragments each. */
    static final int RPC_RECEIVES = 4;
    private static final int RPC_SENDS = 2;
    private static final long FRAGMENT_BYTE_SIZE = 8 * 1024;
    static final long CONNECTION_BYTE_SIZE = (RPC_SENDS + RPC_RECEIVES) * FRAGMENT_BYTE_SIZE;

    private static final long PAGE = 4096;
    private static final long CONNECTION_PAGES = CONNECTION_BYTE_SIZE / PAGE;
    /** For the word that acknowledges. */
    private static final long WORDS_PER_PAGE = PAGE / 64;
    /** A sender sends a sequence word, and what is padded, from there. */
    private static final long TAIL_BYTE_SIZE = 16;
    private static final long MESSAGES_FIRST_PAGES = 192;
    private static final long WORDS_FIRST_PAGES = 16;
    private static final long GROWTH_PAGES_MIN = 256;
    private static final long GROWTH_SHARE = 4;
    static final long CONTROL_BYTE_SIZE_MAX = 1L << 28;

    private static final long LINE = 128;
    private static final long LINK_HEADER_BYTE_SIZE = 10 * LINE;
    private static final long HALF_HEADER_BYTE_SIZE = 9 * LINE;
    private static final long RECEIVE_ENTRY_BYTE_SIZE = 64;
    static final long QUEUE_PAIRS_PER_SHM_QUEUE = 8127;
    /** A socket, the link file, the folder of the peer's files. */
    private static final long DESCRIPTORS_PER_CONNECTION = 3;
    static final long ACCEPTED_MAX = 4096;

    private static final long MESSAGE_BYTE_SIZE = 4096;
    private static final long CHUNK_BYTE_SIZE = 256 * 1024;
    private static final int GROUP_SLOTS = 6;
    private static final long SLOT_LINE = 64;
    static final long CHUNK_SLOTS_BYTE_SIZE = slotsOf(CHUNK_BYTE_SIZE);

    /** A server that has so many workers, each of which sends and is sent so many tensors a step. */
    static ScalingModel server(long workers, long tensors) {
        return new ScalingModel(2 * workers, workers * tensors, workers * tensors, 1, QUEUE_PAIRS_PER_PEER,
                QUEUE_DEPTH);
    }

    /** A worker of so many servers; all tensors together. */
    static ScalingModel worker(long servers, long tensors) {
        return new ScalingModel(2 * servers, tensors, tensors, 1, QUEUE_PAIRS_PER_PEER, QUEUE_DEPTH);
    }

    /** A member of a group that reduces. */
    static ScalingModel member(long members) {
        return new ScalingModel(2 * (members - 1), members - 1, members - 1, GROUP_SLOTS, QUEUE_PAIRS_PER_PEER,
                QUEUE_DEPTH);
    }

    ScalingModel withQueueDepth(int depth) {
        return new ScalingModel(connections, senders, receivers, slots, queuePairsPerPeer, depth);
    }

    long queuePairs() {
        return connections * (1 + queuePairsPerPeer);
    }

    /** All that are posted while nothing happens. */
    long receives() {
        return connections * (RPC_RECEIVES + (long) queuePairsPerPeer * queueDepth);
    }

    /** On verbs: a completion queue that overran would be dead. */
    long completionEntries() {
        return queuePairs() * queueDepth + receives();
    }

    /** Each sender asks once, if the receiver is there. */
    long callsMade() {
        return senders;
    }

    /** Calls, and answers to those of peers. */
    long messages() {
        return callsMade() + receivers;
    }

    /** Regions of the device itself. */
    long controlRegions() {
        return messageArena().regions + wordArena().regions;
    }

    long controlByteSize() {
        return (messageArena().pages + wordArena().pages) * PAGE;
    }

    boolean fitsControlMemory() {
        return connections * CONNECTION_BYTE_SIZE <= CONTROL_BYTE_SIZE_MAX;
    }

    private Slabs messageArena() {
        long tailsPerPage = PAGE / (Math.ceilDiv(slots * TAIL_BYTE_SIZE, SLOT_LINE) * SLOT_LINE);
        long tailBlocks = Math.ceilDiv(Math.ceilDiv(senders, tailsPerPage), CONNECTION_PAGES);
        return Slabs.of(MESSAGES_FIRST_PAGES, connections + tailBlocks, CONNECTION_PAGES);
    }

    private Slabs wordArena() {
        return Slabs.of(WORDS_FIRST_PAGES, Math.ceilDiv(senders, WORDS_PER_PAGE), 1);
    }

    /** Slots of a member for all others, and what it sends and sums: in the arena that is given to it. */
    static long slotsByteSize(long members) {
        return CHUNK_SLOTS_BYTE_SIZE + (members - 2) * slotsOf(MESSAGE_BYTE_SIZE) + 2 * MESSAGE_BYTE_SIZE;
    }

    /** Each has a line of sequence words, and behind the last is the line of the acknowledgement. */
    private static long slotsOf(long byteSize) {
        return GROUP_SLOTS * (byteSize + SLOT_LINE) + SLOT_LINE;
    }

    /** On shm, beside a dozen of the device's own. */
    long descriptorsOfConnectionsOnShm() {
        return DESCRIPTORS_PER_CONNECTION * connections;
    }

    /** On shm: the file of one end of a connection, which both ends map. */
    long linkByteSize() {
        return LINK_HEADER_BYTE_SIZE + HALF_HEADER_BYTE_SIZE + RPC_RECEIVES * RECEIVE_ENTRY_BYTE_SIZE
                + queuePairsPerPeer * (HALF_HEADER_BYTE_SIZE + queueDepth * RECEIVE_ENTRY_BYTE_SIZE);
    }

    /** On shm: of this side's ends. */
    long linksByteSize() {
        return connections * linkByteSize();
    }

    /** On shm, of as many completion queues as its doorbells have room for. */
    long completionQueuesOnShm() {
        return Math.max(1, Math.ceilDiv(queuePairs(), QUEUE_PAIRS_PER_SHM_QUEUE));
    }

    /** Slabs of an arena that grew block by block. */
    private record Slabs(long regions, long pages) {
        static Slabs of(long firstPages, long blocks, long blockPages) {
            long regions = 1;
            long pages = firstPages;
            long room = firstPages / blockPages;
            while (room < blocks) {
                long more = Math.max(GROWTH_PAGES_MIN, pages / GROWTH_SHARE);
                room += more / blockPages;
                pages += more;
                regions++;
            }
            return new Slabs(regions, pages);
        }
    }
}
