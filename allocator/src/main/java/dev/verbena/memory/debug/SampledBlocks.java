package dev.verbena.memory.debug;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

import dev.verbena.memory.ArenaOptions;
import dev.verbena.memory.DebugOptions;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.LiveReport;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SiteUsage;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.heap.ViewedBlocks;

/**
 * The blocks of an arena that knows where some of them were allocated: any with the same probability, since whoever took each hundredth
 * would know one tensor of an iteration of a hundred and no other.
 *
 * <p><b>Owner:</b> {@code TensorArena}. <b>Threading:</b> thread-safe.
 */
public final class SampledBlocks extends ViewedBlocks {
    /** A live block, of so many bytes. */
    private record Sample(Site site, long byteSize) {}

    private final int interval;
    private final Sites sites;
    /** By address; put there by who allocated the block, taken away before it is free. */
    private final Map<Long, Sample> samples = new ConcurrentHashMap<>();

    /** @param callers what users call, which no site begins in */
    public SampledBlocks(SlabSource source, long byteSize, long byteSizeMax, ArenaOptions options,
            Class<?>... callers) {
        super(source, byteSize, byteSizeMax, options.viewsEndWithTensors());
        interval = options.siteInterval();
        sites = new Sites(DebugOptions.defaults().siteDepth(), callers);
    }

    @Override
    protected long take(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        long address = super.take(byteSize, alignment, orNull, type, shape);
        if (address != 0 && ThreadLocalRandom.current().nextInt(interval) == 0) {
            samples.put(address, new Sample(sites.here(), byteSize));
        }
        return address;
    }

    @Override
    public void release(long address) {
        samples.remove(address);
        super.release(address);
    }

    @Override
    public int siteInterval() {
        return interval;
    }

    @Override
    public List<SiteUsage> liveBySite() {
        return wasClosedWithAll() ? List.of() : Sites.usages(samples.values(), Sample::site, Sample::byteSize);
    }

    @Override
    public LiveReport closeForcibly() {
        LiveReport report = super.closeForcibly();
        samples.clear();
        return report;
    }

    /** @throws IllegalStateException while blocks are live, naming where of those that are known; and as any */
    @Override
    public void close() {
        LiveReport leaks = liveReport();
        if (leaks.liveCount() > 0) {
            throw new IllegalStateException(
                    "close of an arena with live or pinned tensors, close and unpin them first: "
                            + leaks);
        }
        super.close();
    }
}
