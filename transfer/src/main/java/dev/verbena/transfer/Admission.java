package dev.verbena.transfer;

/**
 * What a device grants to those that connect to it, whatever they ask for.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param peersMax accepted connections at a time
 * @param queuePairsMax data queue pairs of an accepted connection
 */
public record Admission(int peersMax, int queuePairsMax) {
    /** At most so many that one handshake can carry. */
    private static final int QUEUE_PAIRS_MAX = 255;

    /** Throws {@link IllegalArgumentException} unless peersMax is 0 or more, 0 accepting nobody, and queuePairsMax 1 to 255. */
    public Admission {
        if (peersMax < 0) {
            throw new IllegalArgumentException("peersMax=" + peersMax + " is negative; 0 accepts nobody");
        }
        if (queuePairsMax < 1 || queuePairsMax > QUEUE_PAIRS_MAX) {
            throw new IllegalArgumentException("queuePairsMax=" + queuePairsMax + " is not in 1.." + QUEUE_PAIRS_MAX);
        }
    }

    /** 4096 peers, each with 64 data queue pairs. */
    public static Admission defaults() {
        return new Admission(4096, 64);
    }

    /** @throws TransferException if it is more than is granted; the message says who asked for what, and which option grants it */
    void check(String device, String peer, int peers, int dataQueuePairs) {
        if (peers >= peersMax) {
            throw refused(device, peer, "peersMax=" + peersMax + " are connected");
        }
        if (dataQueuePairs > queuePairsMax) {
            throw refused(device, peer, "it asks for " + dataQueuePairs + " data queue pairs, more than queuePairsMax="
                    + queuePairsMax);
        }
    }

    private static TransferException refused(String device, String peer, String why) {
        return new TransferException("device '" + device + "' does not admit peer '" + peer + "': " + why
                + "; RdmaDeviceOptions.withAdmission grants more");
    }
}
