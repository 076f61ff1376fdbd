package dev.verbena.trace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;

/**
 * Learns which allocations of a program are sent, and says from the next iteration on that these belong into registered memory
 * (EuroSys'19 §3.4, "Decide tensor allocation site").
 *
 * <p><b>Owner:</b> none; it holds no memory but the Java heap's. <b>Threading:</b> thread-safe, and what a thread enters is that
 * thread's. {@link #endIteration()} is called when nothing of the iteration is under way.
 *
 * <p>A <i>site</i> is the i-th allocation of a node in one execution of it, or, where no node has been entered, the i-th allocation of an
 * iteration with the same frames on the stack, thread by thread. For each allocation a runtime asks {@link #isRegistered(long)}, allocates
 * accordingly and tells the address; for each tensor that it sends, and for each that it frees, it tells the address as well. A send
 * looks up whose storage that is: a view's address, or one within the allocation, will do. In-place operations need no care, the
 * address tells; a runtime whose in-place operations depend on timing asks {@link #reuse} before each.
 *
 * <p>Addresses are known in each iteration, not only in the first. So whatever begins to be sent is copied in that one iteration only, in
 * which it is learned. Once learned, a site stays so. In iterations that bring nothing new nothing is allocated on the Java heap.
 *
 * <p>Addresses and sizes are in bytes. What the tracer is told wrongly costs copies or registered memory, never correctness.
 */
public final class Tracer {
    /** What a thread is in. Confined to it. */
    private final class OfThread {
        private final Thread thread = Thread.currentThread();
        private final Map<String, NodeCursor> nodes = new HashMap<>();
        private final CallCursor calls = new CallCursor(callSites);
        private Cursor current = calls;

        private void enter(String node) {
            NodeCursor cursor = nodes.get(node);
            if (cursor == null) {
                cursor = new NodeCursor(sitesOf(node));
                nodes.put(node, cursor);
            }
            cursor.enter();
            current = cursor;
        }
    }

    private final TracerOptions options;
    private final Budget budget;
    private final LongPredicate registered;
    private final CallSites callSites;
    private final Map<SiteKey, Site> sites = new ConcurrentHashMap<>();
    private final Map<String, NodeSites> sitesByNode = new ConcurrentHashMap<>();
    /** Of the thread that came first, as a rule the only one, and so found faster than the others. */
    private volatile OfThread first;
    private final ThreadLocal<OfThread> others = ThreadLocal.withInitial(OfThread::new);

    /** Guards all below, and the sites. */
    private final Object lock = new Object();
    private final AddressMap addresses = new AddressMap();
    private long iterations;
    private long sends;
    private long copies;
    private long copiesBefore;
    private long copiesLastIteration;
    private boolean isNews;
    private boolean hasSuspects;

    private Tracer(TracerOptions options, LongPredicate registered) {
        this.options = options;
        this.budget = new Budget(options.registeredByteSizeMax());
        this.registered = registered;
        this.callSites = new CallSites(options.callSiteDepth(), this::site);
    }

    /** One that knows nothing yet, for a runtime that says with each send, and before each reuse, where the storage lies. */
    public static Tracer create(TracerOptions options) {
        return new Tracer(options, Tracer::isUnknown);
    }

    private static boolean isUnknown(long address) {
        throw new IllegalStateException("where address=" + Long.toHexString(address)
                + " lies is not known: say it along, or give Tracer.create a predicate");
    }

    /**
     * One that knows nothing yet.
     *
     * @param isRegistered whether an address lies in registered memory; called by the thread that sends or reuses
     */
    public static Tracer create(TracerOptions options, LongPredicate isRegistered) {
        return new Tracer(options, isRegistered);
    }

    /**
     * One that knows what another has saved: nothing that was learned then is copied, from the first iteration on.
     *
     * @throws IOException if the file cannot be read or is no trace; the message has the file and the line
     */
    public static Tracer load(Path file, TracerOptions options, LongPredicate isRegistered) throws IOException {
        return loaded(file, new Tracer(options, isRegistered));
    }

    /** The same, for a runtime that says with each send, and before each reuse, where the storage lies. */
    public static Tracer load(Path file, TracerOptions options) throws IOException {
        return loaded(file, create(options));
    }

    private static Tracer loaded(Path file, Tracer tracer) throws IOException {
        for (TraceFile.Entry entry : TraceFile.read(file)) {
            tracer.site(entry.key()).restore(entry.byteSize(), entry.benefit());
        }
        tracer.budget.decide(tracer.sites.values());
        return tracer;
    }

    /**
     * Saves which sites are sent, whether registered or left out. Whoever reads the file meanwhile sees what was there before.
     *
     * @throws IOException if the file cannot be written
     */
    public void save(Path file) throws IOException {
        List<TraceFile.Entry> entries = new ArrayList<>();
        synchronized (lock) {
            for (Site site : sites.values()) {
                if (site.isSent()) {
                    entries.add(new TraceFile.Entry(site.key(), site.iterationByteSizeMax(), site.benefit()));
                }
            }
        }
        entries.sort(Comparator.comparing(TraceFile.Entry::key));
        TraceFile.write(file, entries);
    }

    // -- what the runtime does

    /** This thread executes a node: its coming allocations are the node's, counted from 0. */
    public void enterNode(String id) {
        current().enter(id);
    }

    /** This thread is in no node any more: its coming allocations are told apart by the stack. */
    public void leaveNode() {
        OfThread thread = current();
        thread.current = thread.calls;
    }

    /** A node's allocations, whichever thread makes them. */
    public TracedNode node(String id) {
        return new TracedNode(this, new NodeCursor(sitesOf(id)));
    }

    /** Whether the coming allocation belongs into registered memory. If there is none left ordinary memory will do, at the price of a copy. */
    public boolean isRegistered(long byteSize) {
        return isRegistered(current().current, byteSize);
    }

    /** The allocation has been made, in whichever memory. */
    public void allocated(long address, long byteSize) {
        allocated(current().current, address, byteSize);
    }

    /**
     * Whether the output of an operation may take over storage that nobody else needs, instead of an allocation. If so it counts as one.
     * If not, the allocation is asked for and told as any other: at a registered site nothing goes on in ordinary memory.
     */
    public boolean reuse(long address) {
        return reuse(address, registered.test(address));
    }

    /** The same, by a runtime that knows where the address lies. */
    public boolean reuse(long address, boolean isRegistered) {
        return reuse(current().current, address, isRegistered);
    }

    /**
     * The allocation at this address ends; told before its memory can be handed out again. A runtime need not tell if all that lies there
     * later is told, too.
     */
    public void freed(long address) {
        synchronized (lock) {
            addresses.remove(address);
        }
    }

    /**
     * Memory that is nobody's allocation holds what was received: what was known of these addresses is so no more. A runtime that tells each
     * {@link #freed} need not tell this.
     */
    public void received(long address, long byteSize) {
        synchronized (lock) {
            addresses.put(address, byteSize, null);
        }
    }

    /**
     * All allocations so far have ended, for a runtime that frees all of them with the iteration and does not tell one by one.
     */
    public void freedAll() {
        synchronized (lock) {
            addresses.clear();
        }
    }

    /**
     * A tensor at this address, or within an allocation, is being sent. An address that no site is known for (a received slot, what others
     * have allocated) says nothing.
     *
     * @return whether it has to be copied: it does not lie in registered memory
     */
    public boolean sent(long address) {
        boolean copied = !registered.test(address);
        sent(address, copied);
        return copied;
    }

    /** The same, by a runtime that knows whether it copies. */
    public void sent(long address, boolean copied) {
        synchronized (lock) {
            sends++;
            copies += copied ? 1 : 0;
            int place = addresses.find(address);
            if (place >= 0) {
                Lineage newest = addresses.lineage(place);
                for (Lineage each = newest; each != null; each = each.previous()) {
                    learn(each, addresses.byteSize(place));
                }
                newest.origin().countSend(copied);
            }
        }
    }

    private void learn(Lineage each, long byteSize) {
        Site site = each.site();
        site.contributed(iterations, byteSize);
        if (site.isSent()) {
            return;
        }
        if (!each.isGuess()) {
            site.becomeSent();
            isNews = true;
        } else if (!site.isSuspected()) {
            site.suspect();
            isNews = true;
            hasSuspects = true;
            callSites.lookNext();
        }
    }

    /**
     * The iteration is over: from now on what it has taught holds.
     *
     * @return whether other sites are registered than before
     */
    public boolean endIteration() {
        synchronized (lock) {
            if (hasSuspects && callSites.looksIn(iterations)) {
                // Who it really was has been sent again, under the eyes of the tracer.
                sites.values().forEach(Site::acquit);
                hasSuspects = false;
                isNews = true;
            }
            boolean changes = isNews && budget.decide(sites.values());
            isNews = false;
            copiesLastIteration = copies - copiesBefore;
            copiesBefore = copies;
            iterations++;
            callSites.beginIteration(iterations);
            return changes;
        }
    }

    // -- what it knows

    /** All sites together. */
    public TracerStatistics statistics() {
        synchronized (lock) {
            int allocating = 0;
            int allocatingRegistered = 0;
            int leftOut = 0;
            long byteSize = 0;
            for (Site site : sites.values()) {
                allocating += site.allocates() ? 1 : 0;
                allocatingRegistered += site.allocates() && site.isRegistered() ? 1 : 0;
                leftOut += site.isWanted() && !site.isRegistered() ? 1 : 0;
                byteSize += site.isRegistered() ? site.iterationByteSizeMax() : 0;
            }
            return new TracerStatistics(iterations, allocating, allocatingRegistered, leftOut, byteSize, sends, copies,
                    copiesLastIteration);
        }
    }

    /** Each site, by name; those that are {@link SiteState#LEFT_OUT} say what the budget is short of. */
    public List<SiteStatistics> sites() {
        synchronized (lock) {
            return sites.values().stream().sorted(Comparator.comparing(Site::key)).map(Site::statistics).toList();
        }
    }

    // -- for cursors

    boolean isRegistered(Cursor cursor, long byteSize) {
        if (!cursor.isRegistered(byteSize)) {
            return false;
        }
        if (!options.isLimited()) {
            return true;
        }
        synchronized (lock) {
            return cursor.payer(byteSize).hasRoom(iterations, byteSize);
        }
    }

    void allocated(Cursor cursor, long address, long byteSize) {
        Site site = cursor.site(byteSize);
        Lineage lineage = site.lineage(cursor.isGuess());
        synchronized (lock) {
            isNews |= site.allocated(iterations, byteSize) && options.isLimited() && site.isWanted();
            addresses.put(address, byteSize, lineage);
        }
        cursor.advance();
    }

    void kept(Cursor cursor, long address, long byteSize) {
        Site site = cursor.site(byteSize);
        Lineage lineage = site.lineage(cursor.isGuess());
        synchronized (lock) {
            addresses.put(address, byteSize, lineage);
        }
        cursor.advance();
    }

    boolean reuse(Cursor cursor, long address, boolean isRegistered) {
        synchronized (lock) {
            int place = addresses.find(address);
            long byteSize = place < 0 ? 0 : addresses.byteSize(place);
            Site site = cursor.site(byteSize);
            if (cursor.isRegistered(byteSize) && !isRegistered) {
                return false;
            }
            if (place < 0) {
                addresses.put(address, 1, site.lineage(cursor.isGuess()));
            } else {
                addresses.takeOver(place, addresses.lineage(place).takenOverBy(site, cursor.isGuess()));
            }
        }
        cursor.advance();
        return true;
    }

    private OfThread current() {
        OfThread known = first;
        return known != null && known.thread == Thread.currentThread() ? known : unusual();
    }

    private OfThread unusual() {
        synchronized (lock) {
            if (first == null) {
                first = new OfThread();
                return first;
            }
        }
        return others.get();
    }

    private NodeSites sitesOf(String node) {
        return sitesByNode.computeIfAbsent(node, id -> new NodeSites(id, this::site));
    }

    private Site site(SiteKey key) {
        return sites.computeIfAbsent(key, Site::new);
    }
}
