package dev.verbena.graph;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The allocation sites of one node, by ordinal; they appear as the node asks for storage. Confined to the run of the node. */
final class NodeSites {
    private final String nodeName;
    private final List<AllocationSite> sites = new ArrayList<>();

    NodeSites(String nodeName) {
        this.nodeName = nodeName;
    }

    AllocationSite at(int ordinal) {
        while (sites.size() <= ordinal) {
            sites.add(new AllocationSite(nodeName, sites.size()));
        }
        return sites.get(ordinal);
    }

    int count(Predicate<AllocationSite> predicate) {
        return (int) sites.stream().filter(predicate).count();
    }
}
