package dev.verbena.cli.perf;

/**
 * What one side does in a test; run several times, on the same queue pairs.
 *
 * <p>Nothing is allocated in {@link #run}.
 */
interface Part {
    /** Returns when everything of this run is done as far as this side can tell. */
    void run(long iterations);

    /** What the latest run has shown; null if this side measures nothing. */
    default Figures figures() {
        return null;
    }

    /** The part of a side in a round. */
    static Part of(Side side, Round round) {
        boolean isServer = side.options().isServer();
        long byteSize = round.byteSize();
        long iterations = round.iterations();
        return switch (round.test()) {
            case WRITE_BW, READ_BW -> isServer ? new PassivePart() : new PostingPart(side, byteSize, iterations);
            case SEND_BW -> isServer ? new ReceivingPart(side, byteSize) : new PostingPart(side, byteSize, iterations);
            case WRITE_LAT -> new WriteLatencyPart(side, byteSize, iterations);
            case SEND_LAT -> new SendLatencyPart(side, byteSize, iterations);
            case PUT_BW -> isServer ? new PassivePart() : new PuttingPart(side, byteSize, iterations);
            case PUT_LAT -> new PutLatencyPart(side, byteSize, iterations);
            case READ_LAT, ATOMIC_LAT ->
                isServer ? new PassivePart() : new RequestLatencyPart(side, byteSize, iterations);
        };
    }
}
