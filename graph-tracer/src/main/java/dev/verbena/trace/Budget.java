package dev.verbena.trace;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which of the sites that are sent get registered memory. Confined to the tracer's lock.
 *
 * <p>A site takes of the budget what it allocates in an iteration, at most so far; one that only takes over storage takes nothing. If all
 * fit, all are registered. If not, those with the most bytes sent per iteration go first, each that still fits; of two with the same, the
 * one that takes less, then the first by name. What a site allocates beyond what it has taken is ordinary until the next time this is
 * decided, so the budget holds in each iteration.
 */
record Budget(long byteSizeMax) {
    private static final Logger LOG = LoggerFactory.getLogger(Budget.class);
    private static final Comparator<Site> BENEFIT_FIRST = Comparator.comparingLong(Site::benefit).reversed()
            .thenComparingLong(Site::iterationByteSizeMax).thenComparing(Site::key);

    /** @return whether a site has become registered or is not any more */
    boolean decide(Collection<Site> all) {
        List<Site> wanted = all.stream().filter(Site::isWanted).sorted(BENEFIT_FIRST).toList();
        boolean changes = false;
        for (Site site : all) {
            changes |= !site.isWanted() && site.become(false);
        }
        long left = byteSizeMax;
        for (Site site : wanted) {
            boolean fits = site.iterationByteSizeMax() <= left;
            if (fits) {
                left -= site.iterationByteSizeMax();
            }
            changes |= site.become(fits);
        }
        List<Site> leftOut = wanted.stream().filter(site -> !site.isRegistered()).toList();
        if (changes && !leftOut.isEmpty()) {
            LOG.warn("registeredByteSizeMax={} is too little: sites that are sent and stay ordinary, so are copied: {}",
                    byteSizeMax, leftOut);
        }
        return changes;
    }
}
