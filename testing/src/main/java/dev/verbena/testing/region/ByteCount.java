package dev.verbena.testing.region;

import java.util.Locale;

/** Bytes as people read them. */
final class ByteCount {
    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private ByteCount() {}

    /** In the largest unit of which there is one: "1.5 MiB"; without a fraction where there is none. */
    static String text(long byteSize) {
        int unit = Math.max(0, 63 - Long.numberOfLeadingZeros(byteSize)) / 10;
        double count = byteSize / (double) (1L << 10 * unit);
        return String.format(Locale.ROOT, count == Math.rint(count) ? "%.0f %s" : "%.1f %s", count, UNITS[unit]);
    }

    static String share(long part, long whole) {
        return String.format(Locale.ROOT, "%.1f %%", whole == 0 ? 0 : 100.0 * part / whole);
    }
}
