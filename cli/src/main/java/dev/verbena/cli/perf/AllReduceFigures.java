package dev.verbena.cli.perf;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What all-reduces of one size have shown at one member.
 *
 * <p>The bound is what copying allows: a ring has each member write {@code 2 (n - 1) / n} of the tensor to the next one, and add
 * {@code (n - 1) / n} of it, and adding a byte takes as long as copying one. So
 *
 * <pre>
 *   bound = 3 (n - 1) / n * byteSize / copyBytesPerSecond        share = bound / typical time
 * </pre>
 *
 * with the bandwidth at which each of the members copies tensors of that size while all do.
 *
 * @param members how many
 * @param times of the all-reduces, one after the other
 * @param copyBytesPerSecond of the slowest member
 * @param jitMs what the JIT compiled for in this member meanwhile
 */
record AllReduceFigures(int members, LatencyFigures times, double copyBytesPerSecond, long jitMs) {
    private static final double MEBIBYTE = 1 << 20;
    private static final double USEC_PER_SECOND = 1e6;

    static final String HEADER = String.format("%-11s %-8s %-11s %-11s %-11s %-13s %-13s %-11s %s", " #bytes",
            "#rounds", "t_min[us]", "t_typ[us]", "99%[us]", "bus[MiB/s]", "copy[MiB/s]", "bound[us]", "share");

    /** What a member writes to the next one in a second. */
    double busBytesPerSecond() {
        return 2 * shareOfOthers() * times.byteSize() * USEC_PER_SECOND / times.typical();
    }

    double boundUsec() {
        return 3 * shareOfOthers() * times.byteSize() * USEC_PER_SECOND / copyBytesPerSecond;
    }

    double shareOfBound() {
        return boundUsec() / times.typical();
    }

    private double shareOfOthers() {
        return (members - 1.0) / members;
    }

    String row() {
        return String.format(Locale.ROOT, " %-10d %-8d %-11.2f %-11.2f %-11.2f %-13.2f %-13.2f %-11.2f %.3f",
                times.byteSize(), times.iterations() - 1, times.min(), times.typical(), times.percentile99(),
                busBytesPerSecond() / MEBIBYTE, copyBytesPerSecond / MEBIBYTE, boundUsec(), shareOfBound());
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("byteSize", times.byteSize());
        Map<String, Object> usec = times.toMap(false);
        usec.remove("MsgSize");
        map.put("usec", usec);
        map.put("busBytesPerSecond", busBytesPerSecond());
        map.put("copyBytesPerSecond", copyBytesPerSecond);
        map.put("boundUsec", boundUsec());
        map.put("shareOfBound", shareOfBound());
        map.put("jitMs", jitMs);
        return map;
    }
}
