package dev.verbena.cli.perf;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A bandwidth test's result.
 *
 * @param iterations messages of all queue pairs
 * @param peak bytes per second of the best stretch; 0 if none was looked for
 * @param average bytes per second
 */
record BandwidthFigures(long byteSize, long iterations, double peak, double average,
        double messageRate) implements Figures {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIGABIT = 1e9 / Byte.SIZE;
    private static final double NS_PER_SECOND = 1e9;

    /** @param bestNsPerMessage 0 if no peak was looked for */
    static BandwidthFigures of(long byteSize, long iterations, long elapsedNs, double bestNsPerMessage) {
        double rate = iterations * NS_PER_SECOND / elapsedNs;
        return new BandwidthFigures(byteSize, iterations,
                bestNsPerMessage == 0 ? 0 : byteSize * NS_PER_SECOND / bestNsPerMessage, byteSize * rate, rate);
    }

    static String header(boolean isGigabit) {
        return String.format(" #bytes     #iterations    BW peak[%1$s]    BW average[%1$s]   MsgRate[Mpps]",
                unit(isGigabit));
    }

    static String unit(boolean isGigabit) {
        return isGigabit ? "Gb/sec" : "MiB/sec";
    }

    private static double in(boolean isGigabit, double bytesPerSecond) {
        return bytesPerSecond / (isGigabit ? GIGABIT : MEBIBYTE);
    }

    @Override
    public String row(boolean isGigabit) {
        return String.format(Locale.ROOT, " %-7d    %-10d       %-7.2f            %-7.2f               %-7.6f",
                byteSize,
                iterations, in(isGigabit, peak), in(isGigabit, average), messageRate / 1e6);
    }

    @Override
    public Map<String, Object> toMap(boolean isGigabit) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("MsgSize", byteSize);
        map.put("n_iterations", iterations);
        map.put("BW_peak", in(isGigabit, peak));
        map.put("BW_average", in(isGigabit, average));
        map.put("MsgRate", messageRate / 1e6);
        return map;
    }
}
