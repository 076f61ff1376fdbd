package dev.verbena.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Which call site allocates, thread by thread, for programs without nodes.
 *
 * <p>To look at the stack at each allocation would cost more than the allocation. So in a traced iteration the order of sites is recorded,
 * and in later ones the i-th allocation is taken to be of the i-th site, as long as it has the same size. One of another size, one more,
 * or one less, says that the program does something else: from there on, or in the next iteration, the stack is looked at again. So it is
 * after a send that the record did not foresee.
 */
final class CallCursor implements Cursor {
    private static final int CAPACITY = 64;

    private final CallSites callSites;
    private final Map<String, Integer> occurrences = new HashMap<>();
    private Site[] sequence = new Site[CAPACITY];
    private long[] byteSizes = new long[CAPACITY];
    private int length;
    private int position;
    private long iteration = -1;
    private boolean looks;
    private boolean looksFromStart;
    /** The coming allocation's; null before anybody has asked. */
    private Site site;
    private Site payer;
    private boolean registered;

    CallCursor(CallSites callSites) {
        this.callSites = callSites;
    }

    @Override
    public Site site(long byteSize) {
        if (site == null) {
            if (iteration != callSites.iteration()) {
                begin();
            }
            boolean isForeseen = position < length && byteSizes[position] == byteSize;
            if (!looks && !isForeseen) {
                startLooking();
            }
            if (looks) {
                look(byteSize, isForeseen);
            } else {
                site = sequence[position];
                payer = site;
                registered = site.isRegistered();
            }
        }
        return site;
    }

    @Override
    public boolean isRegistered(long byteSize) {
        site(byteSize);
        return registered;
    }

    @Override
    public Site payer(long byteSize) {
        site(byteSize);
        return payer;
    }

    @Override
    public boolean isGuess() {
        return !looks;
    }

    @Override
    public void advance() {
        site = null;
        position++;
    }

    private void begin() {
        boolean wasShorter = position < length;
        looks = length == 0 || wasShorter || callSites.looksIn(callSites.iteration());
        looksFromStart = looks;
        iteration = callSites.iteration();
        length = position > 0 ? position : length;
        position = 0;
        occurrences.clear();
    }

    private void startLooking() {
        looks = true;
        for (int i = 0; i < position; i++) {
            occurrences.merge(sequence[i].key().place(), 1, Integer::sum);
        }
    }

    private void look(long byteSize, boolean isForeseen) {
        String place = callSites.here();
        int ordinal = occurrences.merge(place, 1, Integer::sum) - 1;
        site = callSites.site(place, ordinal);
        // What the order told was sent, or was to be registered, in the iteration before: now it is seen whose that is.
        boolean isTold = isForeseen && looksFromStart && !site.isRegistered() && sequence[position].isRegistered();
        payer = isTold ? sequence[position] : site;
        registered = payer.isRegistered();
        if (position == sequence.length) {
            sequence = Arrays.copyOf(sequence, position * 2);
            byteSizes = Arrays.copyOf(byteSizes, position * 2);
        }
        sequence[position] = site;
        byteSizes[position] = byteSize;
        length = Math.max(length, position + 1);
    }
}
