package dev.verbena.trace;

import java.util.Arrays;
import java.util.function.Function;

/** The sites of one node, by ordinal; they appear as the node asks for storage. Thread-safe. */
final class NodeSites {
    private final String node;
    private final Function<SiteKey, Site> siteOf;
    private volatile Site[] sites = {};

    /** @param siteOf the tracer's site of a key, always the same one */
    NodeSites(String node, Function<SiteKey, Site> siteOf) {
        this.node = node;
        this.siteOf = siteOf;
    }

    Site at(int ordinal) {
        Site[] known = sites;
        return ordinal < known.length ? known[ordinal] : added(ordinal);
    }

    private synchronized Site added(int ordinal) {
        while (sites.length <= ordinal) {
            Site[] more = Arrays.copyOf(sites, sites.length + 1);
            more[sites.length] = siteOf.apply(new SiteKey(SiteKey.Kind.NODE, node, sites.length));
            sites = more;
        }
        return sites[ordinal];
    }
}
