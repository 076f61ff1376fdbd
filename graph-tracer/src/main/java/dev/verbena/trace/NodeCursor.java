package dev.verbena.trace;

/** Counts the allocations of one execution of a node. */
final class NodeCursor implements Cursor {
    private final NodeSites sites;
    private int ordinal;

    NodeCursor(NodeSites sites) {
        this.sites = sites;
    }

    void enter() {
        ordinal = 0;
    }

    @Override
    public Site site(long byteSize) {
        return sites.at(ordinal);
    }

    @Override
    public boolean isRegistered(long byteSize) {
        return sites.at(ordinal).isRegistered();
    }

    @Override
    public Site payer(long byteSize) {
        return sites.at(ordinal);
    }

    @Override
    public boolean isGuess() {
        return false;
    }

    @Override
    public void advance() {
        ordinal++;
    }
}
