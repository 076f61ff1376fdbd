package dev.verbena.memory.debug;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.memory.DebugOptions;
import dev.verbena.memory.SiteUsage;

/**
 * The places in a program that an arena was called from. Each is there once: blocks come by the hundred thousand, places do not.
 *
 * <p><b>Owner:</b> the blocks of an arena. <b>Threading:</b> thread-safe.
 */
final class Sites {
    /** What the names of classes in the rooms begin with. */
    private static final String ROOMS = DebugOptions.class.getPackageName() + ".";

    /** Called by users. */
    private final Set<String> ours;
    private final int depth;
    private final Map<Site, Site> known = new ConcurrentHashMap<>();

    /** @param callers what users call, which no site begins in */
    Sites(int depth, Class<?>... callers) {
        ours = Stream.of(callers).map(Class::getName).collect(Collectors.toUnmodifiableSet());
        this.depth = depth;
    }

    /** Of the caller of the allocator. */
    Site here() {
        Site here = Site.here(this::isOurs, depth);
        Site before = known.putIfAbsent(here, here);
        return before == null ? here : before;
    }

    /** What users call, the rooms behind it, and what of the JDK is between: an allocator's defaults, the end of a lifetime. */
    private boolean isOurs(String className) {
        return ours.contains(className) || className.startsWith(ROOMS)
                && className.indexOf('.', ROOMS.length()) > 0
                || className.startsWith("java.") || className.startsWith("jdk.");
    }

    /** Of live blocks, the most bytes first. */
    static <B> List<SiteUsage> usages(Collection<B> live, Function<B, Site> siteOf, ToLongFunction<B> byteSizeOf) {
        Map<Site, SiteUsage> usages = new HashMap<>();
        for (B block : live) {
            Site site = siteOf.apply(block);
            usages.merge(site, new SiteUsage(site.frames(), 1, byteSizeOf.applyAsLong(block)),
                    (one, other) -> new SiteUsage(one.frames(), one.liveCount() + other.liveCount(),
                            one.liveByteSize() + other.liveByteSize()));
        }
        return usages.values().stream()
                .sorted(Comparator.comparingLong(SiteUsage::liveByteSize).thenComparingLong(SiteUsage::liveCount)
                        .reversed())
                .toList();
    }
}
