package dev.verbena.memory;

import java.util.List;
import java.util.Locale;

/**
 * What is live in an arena, and where it was allocated as far as that is known. At the end of an arena, that is what leaked.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param liveCount blocks; all that a scope holds is a few of them
 * @param liveByteSize bytes of these, rounding and guards included
 * @param siteInterval of how many allocations, on average, one has its site; 0 if none has
 * @param sites of those that are live and have one, the most bytes first
 */
public record LiveReport(long liveCount, long liveByteSize, int siteInterval, List<SiteUsage> sites) {
    /** Copies the list, in which nothing may be null. */
    public LiveReport {
        sites = List.copyOf(sites);
    }

    /** Part of the bytes with a known site that are of this one: 0 to 1. */
    public double share(SiteUsage site) {
        long known = sites.stream().mapToLong(SiteUsage::liveByteSize).sum();
        return known == 0 ? 1.0 / sites.size() : (double) site.liveByteSize() / known;
    }

    /** For people: a line of figures, then the sites, each with its share. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("liveCount=" + liveCount + " liveByteSize=" + liveByteSize);
        if (siteInterval > 0) {
            text.append(siteInterval == 1 ? "; by site:" : "; one in " + siteInterval + " has its site:");
            sites.forEach(
                    site -> text.append(String.format(Locale.ROOT, "\n%.0f %% ", 100 * share(site))).append(site));
        }
        return text.toString();
    }
}
