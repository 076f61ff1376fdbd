package dev.verbena.trace;

/**
 * Where a program asks for storage (EuroSys'19 §3.4).
 *
 * <p>Written under the tracer's lock. {@link #isRegistered()} is read without, and changes between iterations only.
 */
final class Site {
    private final SiteKey key;
    private final Lineage seen = new Lineage(this, null, false);
    private final Lineage guessed = new Lineage(this, null, true);

    private volatile boolean registered;
    /** Whether what was allocated here has been sent: the set S of the paper. Once in it, always. */
    private boolean sent;
    /** As sent, but for one iteration, until the stack says whether it was this site. */
    private boolean suspected;
    private boolean wasSuspected;

    private long allocations;
    private long byteSize;
    private long sends;
    private long copies;

    /** Of which iteration the two below are. */
    private long iteration = -1;
    private long iterationByteSize;
    private long iterationSentByteSize;
    private long iterationByteSizeMax;
    /** What it sent in the last iteration in which it sent anything, in bytes. */
    private long benefit;

    Site(SiteKey key) {
        this.key = key;
    }

    SiteKey key() {
        return key;
    }

    /** Storage that begins here. */
    Lineage lineage(boolean isGuess) {
        return isGuess ? guessed : seen;
    }

    boolean isRegistered() {
        return registered;
    }

    /** @return whether that is new */
    boolean become(boolean isRegistered) {
        boolean changes = registered != isRegistered;
        if (changes) {
            registered = isRegistered;
        }
        return changes;
    }

    boolean isSent() {
        return sent;
    }

    boolean isWanted() {
        return sent || suspected;
    }

    void becomeSent() {
        sent = true;
    }

    boolean isSuspected() {
        return suspected;
    }

    /** Of a guess: for the next iteration, or for good if the stack has had its say and it comes up again. */
    void suspect() {
        sent = wasSuspected;
        suspected = !wasSuspected;
        wasSuspected = true;
    }

    void acquit() {
        suspected = false;
    }

    boolean allocates() {
        return allocations > 0;
    }

    /** @return whether it has never allocated so much in an iteration */
    boolean allocated(long now, long bytes) {
        turnTo(now);
        allocations++;
        byteSize += bytes;
        iterationByteSize += bytes;
        boolean grows = iterationByteSize > iterationByteSizeMax;
        if (grows) {
            iterationByteSizeMax = iterationByteSize;
        }
        return grows;
    }

    void contributed(long now, long bytes) {
        turnTo(now);
        iterationSentByteSize += bytes;
        benefit = iterationSentByteSize;
    }

    void countSend(boolean copied) {
        sends++;
        copies += copied ? 1 : 0;
    }

    /** Whether so much more in this iteration is not more than ever. */
    boolean hasRoom(long now, long bytes) {
        turnTo(now);
        return bytes <= iterationByteSizeMax - iterationByteSize;
    }

    private void turnTo(long now) {
        if (iteration != now) {
            iteration = now;
            iterationByteSize = 0;
            iterationSentByteSize = 0;
        }
    }

    /** What an earlier process has learned. */
    void restore(long iterationByteSizeMax, long benefit) {
        this.iterationByteSizeMax = iterationByteSizeMax;
        this.benefit = benefit;
        this.sent = true;
    }

    long iterationByteSizeMax() {
        return iterationByteSizeMax;
    }

    long benefit() {
        return benefit;
    }

    SiteStatistics statistics() {
        SiteState state = registered ? SiteState.REGISTERED : isWanted() ? SiteState.LEFT_OUT : SiteState.ORDINARY;
        return new SiteStatistics(key.toString(), state, allocations, byteSize, iterationByteSizeMax, sends, copies);
    }

    @Override
    public String toString() {
        return key.toString();
    }
}
