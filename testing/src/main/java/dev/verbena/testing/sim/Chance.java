package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Draws what a plan leaves to chance.
 *
 * <p><b>Owner:</b> the simulation. <b>Threading:</b> confined to it.
 */
final class Chance {
    private final FaultPlan plan;
    private final Random random;
    private final Map<Fault, Long> counts = new EnumMap<>(Fault.class);

    Chance(long seed, FaultPlan plan) {
        this.plan = plan;
        random = random(seed);
    }

    /** Whose first numbers have nothing to do with those of the next seed (the finalizer of SplitMix64). */
    static Random random(long seed) {
        long mixed = seed + 0x9e37_79b9_7f4a_7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
        return new Random(mixed ^ mixed >>> 31);
    }

    /** How long a step takes. */
    long delayNs() {
        long min = plan.get(Fault.DELAY_NS_MIN);
        long max = Math.max(min, plan.get(Fault.DELAY_NS_MAX));
        long late = happens(Fault.LATE_ONE_IN) ? plan.get(Fault.LATE_NS) : 0;
        return late + (min == max ? min : random.nextLong(min, max + 1));
    }

    /** Of a fault that one in so many meets. */
    boolean happens(Fault fault) {
        long oneIn = plan.get(fault);
        boolean happens = oneIn != 0 && random.nextLong(oneIn) == 0;
        if (happens) {
            count(fault);
        }
        return happens;
    }

    /** Of one that is set or not: whether it is, and so happens now. */
    boolean happensIfSet(Fault fault) {
        if (isSet(fault)) {
            count(fault);
        }
        return isSet(fault);
    }

    /** It has happened. */
    void count(Fault fault) {
        counts.merge(fault, 1L, Long::sum);
    }

    long countOf(Fault fault) {
        return counts.getOrDefault(fault, 0L);
    }

    boolean isSet(Fault fault) {
        return plan.get(fault) != 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** @param countMax that a poll was asked for */
    int pollCountMax(int countMax) {
        return isSet(Fault.POLL_COUNT_MAX) ? (int) Math.min(countMax, plan.get(Fault.POLL_COUNT_MAX)) : countMax;
    }

    /** How many of a list a post takes; of an idle queue pair at least one, so that its owner is told when to go on. */
    int postCount(int room, boolean isIdle) {
        int least = isIdle ? 1 : 0;
        return room <= least || !happens(Fault.PARTIAL_POST_ONE_IN) ? room : least + random.nextInt(room - least);
    }

    /** Cuts a message where words of 8 bytes of its destination begin: devices write those at once. */
    List<Piece> pieces(long byteSize, long address) {
        List<Long> cuts = new ArrayList<>(List.of(0L, byteSize));
        long first = -address & Long.BYTES - 1;
        long words = (byteSize - first) / Long.BYTES;
        for (long i = random.nextLong(plan.get(Fault.PIECE_COUNT_MAX)); i > 0 && words > 0; i--) {
            cuts.add(first + Long.BYTES * random.nextLong(words));
        }
        Collections.sort(cuts);
        List<Piece> pieces = new ArrayList<>();
        for (int i = 1; i < cuts.size(); i++) {
            if (cuts.get(i) > cuts.get(i - 1)) {
                pieces.add(new Piece(cuts.get(i - 1), cuts.get(i)));
            }
        }
        if (pieces.size() > 1) {
            count(Fault.PIECE_COUNT_MAX);
        }
        return pieces;
    }
}
