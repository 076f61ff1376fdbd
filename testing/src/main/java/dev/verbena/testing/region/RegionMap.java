package dev.verbena.testing.region;

import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.TensorArena;

/**
 * What every page of an arena was used for at one moment, to be looked at as text or as a picture.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record RegionMap(List<SlabMap> slabs) {
    /** Copies the list; throws {@link NullPointerException} if it or a slab in it is null. */
    public RegionMap {
        slabs = List.copyOf(slabs);
    }

    /** Of an arena now; every thread is kept out of it meanwhile. */
    public static RegionMap of(TensorArena arena) {
        return new RegionMap(arena.map());
    }

    /** Bytes of all slabs: live blocks, empty slots and free runs. */
    public long byteSize() {
        return sum(RunMap::byteSize);
    }

    /** Bytes of live blocks, their rounding included. */
    public long liveByteSize() {
        return sum(RunMap::liveByteSize);
    }

    /** Bytes of free runs: what may become a block of any size. */
    public long freeRunByteSize() {
        return runs().filter(RegionMap::isFree).mapToLong(RunMap::byteSize).sum();
    }

    /** Bytes in runs of slots that hold no block: only one of that size class may get them. */
    public long emptySlotByteSize() {
        return byteSize() - liveByteSize() - freeRunByteSize();
    }

    /** Bytes of the longest run of free pages, 0 if there is none: a larger block needs a further slab. */
    public long largestFreeRunByteSize() {
        return runs().filter(RegionMap::isFree).mapToLong(RunMap::byteSize).max().orElse(0);
    }

    /**
     * Lines of {@code width} characters each of which stands for equally many bytes and shows how many of them are live; at most 64 lines
     * and one for each slab, however large. A legend comes first.
     *
     * @throws IllegalArgumentException if {@code width} is less than 1 or more than 4,096
     */
    public String toText(int width) {
        return new RegionText(this, width).text();
    }

    /** An SVG file that needs nothing else: a rectangle for each run, its figures where the mouse rests; tiny neighbours are one. */
    public String toSvg(String title) {
        return new RegionSvg(this, title).text();
    }

    long pageCount() {
        return slabs.stream().mapToLong(SlabMap::pageCount).sum();
    }

    /** One line of figures. */
    String summary() {
        return "region " + ByteCount.text(byteSize()) + ": live " + ByteCount.share(liveByteSize(), byteSize())
                + ", empty slots " + ByteCount.share(emptySlotByteSize(), byteSize()) + ", free runs "
                + ByteCount.share(freeRunByteSize(), byteSize()) + ", largest free run "
                + ByteCount.text(largestFreeRunByteSize());
    }

    private long sum(ToLongFunction<RunMap> figure) {
        return runs().mapToLong(figure).sum();
    }

    private Stream<RunMap> runs() {
        return slabs.stream().flatMap(slab -> slab.runs().stream());
    }

    private static boolean isFree(RunMap run) {
        return run.kind() == RunMap.Kind.FREE;
    }
}
