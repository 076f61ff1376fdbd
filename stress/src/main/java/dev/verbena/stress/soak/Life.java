package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** What one thread does from its birth to its death: steps by chance, from a seed. What it has then is its heir's. */
final class Life implements Runnable {
    private static final int STEPS_MIN = 500;
    private static final int STEPS_MAX = 30_000;
    private static final int STEPS_BETWEEN_PAUSES = 64;
    private static final long APPETITE_BYTE_SIZE_MIN = 12L * 1024 * 1024;
    private static final long APPETITE_BYTE_SIZE_MAX = 24L * 1024 * 1024;
    /** In its hands: the last block may be too much for its appetite. */
    static final long BYTE_SIZE_MAX = APPETITE_BYTE_SIZE_MAX + Sizes.BYTE_SIZE_MAX;
    private static final int UNFAITHFULNESS = 4;

    private final Surroundings surroundings;
    private final Hands hands;
    private final SplittableRandom random;
    private final TestedArena home;
    private final TestedArena other;
    private final long appetiteByteSize;
    private final int steps;
    private int step;
    private Step kind;

    /** At home in the tight arena or in the roomy one; now and then it takes from the other. */
    Life(Surroundings surroundings, boolean isTight, Hands hands, SplittableRandom random) {
        this.surroundings = surroundings;
        this.hands = hands;
        this.random = random;
        home = isTight ? surroundings.tight : surroundings.roomy;
        other = isTight ? surroundings.roomy : surroundings.tight;
        appetiteByteSize = random.nextLong(APPETITE_BYTE_SIZE_MIN, APPETITE_BYTE_SIZE_MAX);
        steps = random.nextInt(STEPS_MIN, STEPS_MAX);
    }

    @Override
    public void run() {
        surroundings.lives.increment();
        while (step < steps && !surroundings.isStopping()) {
            surroundings.gate.readLock().lock();
            try {
                work();
            } finally {
                surroundings.gate.readLock().unlock();
            }
        }
    }

    /** Where it is, for the report of a failure. */
    String position() {
        return "step=" + step + " of " + steps + " doing=" + kind;
    }

    private void work() {
        for (int i = 0; i < STEPS_BETWEEN_PAUSES; i++) {
            step++;
            kind = hands.byteSize() > appetiteByteSize ? Step.FREE_ALL : Step.next(random);
            carryOut();
        }
        surroundings.steps.add(STEPS_BETWEEN_PAUSES);
    }

    private void carryOut() {
        switch (kind) {
            case ALLOCATE -> allocate();
            case SWAP -> hands.take(surroundings.shelf.swap(hands.isEmpty() ? null : leavable(), random));
            case FREE_ALL -> hands.freeDownTo(random.nextLong(appetiteByteSize + 1), random);
            case CHECK -> home.check();
            case OWN_ARENA -> new OwnArena(surroundings, random).liveAndRetire();
            default -> {
                if (!hands.isEmpty()) {
                    handle();
                }
            }
        }
    }

    private void handle() {
        switch (kind) {
            case FREE -> hands.giveAny(random).free(random);
            case CLOSE_PINNED -> {
                Holding holding = hands.giveAny(random);
                hands.take(holding instanceof HeldTensor open ? open.closePinned(random) : holding);
            }
            case MISUSE -> hands.any(random).misuse();
            default -> hands.any(random).check();
        }
    }

    private void allocate() {
        TestedArena arena = random.nextInt(UNFAITHFULNESS) == 0 ? other : home;
        Holding got = Allocation.of(arena, Sizes.next(random), surroundings.marks.incrementAndGet(), random);
        if (got != null) {
            surroundings.allocations.increment();
            hands.take(got);
            return;
        }
        SoakFailure.unless(arena != surroundings.roomy,
                () -> "no memory within a budget that cannot be used up: " + arena);
        surroundings.refusals.increment();
        hands.freeDownTo(hands.byteSize() / 2, random);
    }

    /** What may lie on the shelf; null if it is too large. */
    private Holding leavable() {
        Holding any = hands.giveAny(random);
        if (any.byteSize <= Sizes.SMALL_BYTE_SIZE_MAX) {
            return any;
        }
        hands.take(any);
        return null;
    }
}
