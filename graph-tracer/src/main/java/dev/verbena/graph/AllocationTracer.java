package dev.verbena.graph;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds out which allocations are going to be sent (EuroSys'19 §3.4, "Decide tensor allocation site").
 *
 * <p>In the first iteration it keeps address → site, the newest wins, since an address may be handed out again within the
 * iteration. At a send it looks the tensor's address up and remembers the site. When the iteration is over those sites become
 * registered; from the next one on their storage is born in registered memory. In-place operations need no care: whoever
 * handed the storage on, the address tells where it came from.
 *
 * <p>One addition to the paper. Whether {@link KernelContext#outputInPlace} reuses its input's storage depends on who else has
 * read it yet, so on timing: what was reused in the first iteration may be allocated in a later one, and the other way round.
 * So a reuse takes an ordinal as an allocation does, a send remembers the whole chain of reuses down to the allocation, and a
 * registered site reuses only registered storage ({@link SessionMemory}). Then no order of execution brings a copy back.
 *
 * <p>Told of allocations from any thread that runs a kernel; of everything else from the session's thread.
 */
final class AllocationTracer {
    private final boolean enabled;
    private final Map<Long, AllocationSite> newestByAddress = new ConcurrentHashMap<>();
    private final Set<AllocationSite> sent = new LinkedHashSet<>();
    private final Map<String, NodeSites> sitesByNode = new HashMap<>();
    private volatile boolean tracing;

    AllocationTracer(boolean enabled) {
        this.enabled = enabled;
    }

    boolean isEnabled() {
        return enabled;
    }

    /** The sites of a node, the same for every run plan it takes part in. */
    NodeSites sitesOf(String nodeName) {
        return sitesByNode.computeIfAbsent(nodeName, NodeSites::new);
    }

    /** @param first whether its allocations have not been traced yet */
    void beginIteration(boolean first) {
        newestByAddress.clear();
        tracing = enabled && first;
    }

    void allocated(AllocationSite site, long address) {
        if (tracing) {
            site.allocated();
            newestByAddress.put(address, site);
        }
    }

    /** A site took over the storage at an address instead of allocating. */
    void reused(AllocationSite site, long address) {
        if (tracing) {
            AllocationSite previous = newestByAddress.put(address, site);
            site.reused(previous);
        }
    }

    /** A tensor at this address is being sent. An address that no site is known for (a received slot, a feed) says nothing. */
    void sent(long address) {
        if (tracing) {
            for (AllocationSite site = newestByAddress.get(address); site != null; site = site.reused()) {
                sent.add(site);
            }
        }
    }

    /** The sites found become registered. */
    void endIteration() {
        sent.forEach(AllocationSite::register);
        sent.clear();
        newestByAddress.clear();
        tracing = false;
    }

    /** Sites that allocated in a traced iteration. */
    int sitesSeen() {
        return sitesByNode.values().stream().mapToInt(sites -> sites.count(AllocationSite::allocates)).sum();
    }

    /** Those of them whose tensors were sent. */
    int sitesRegistered() {
        return sitesByNode.values().stream()
                .mapToInt(sites -> sites.count(site -> site.allocates() && site.isRegistered())).sum();
    }
}
