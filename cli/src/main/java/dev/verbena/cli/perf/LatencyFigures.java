package dev.verbena.cli.perf;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A latency test's result, in microseconds, computed from all samples as perftest does ({@code print_report_lat}). */
record LatencyFigures(long byteSize, long iterations, double min, double max, double typical, double average,
        double deviation, double percentile99, double percentile999) implements Figures {
    static final String HEADER = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] ";
    /** perftest leaves the longest two out of everything but the place of the maximum, which is the second longest. */
    private static final int TAIL = 2;
    private static final double NS_PER_USEC = 1e3;

    /**
     * From the instants at which messages were posted.
     *
     * @param hops messages between two posts: 2 where the peer answers with one of its own
     */
    static LatencyFigures of(long byteSize, long[] postedNs, int hops) {
        double[] usec = new double[postedNs.length - 1];
        for (int i = 0; i < usec.length; i++) {
            usec[i] = (postedNs[i + 1] - postedNs[i]) / (NS_PER_USEC * hops);
        }
        Arrays.sort(usec);
        int count = usec.length - TAIL;
        double average = Arrays.stream(usec, 0, count).average().orElseThrow();
        double squares = Arrays.stream(usec, 0, count).map(each -> (each - average) * (each - average)).sum();
        double median = count % 2 == 0 ? (usec[count / 2] + usec[count / 2 - 1]) / 2 : usec[count / 2];
        return new LatencyFigures(byteSize, postedNs.length, usec[0], usec[count], median, average,
                Math.sqrt(squares / count), usec[(int) Math.ceil(count * 0.99)], usec[(int) Math.ceil(count * 0.999)]);
    }

    @Override
    public String row(boolean isGigabit) {
        return String.format(Locale.ROOT,
                " %-7d %-10d     %-7.2f        %-7.2f      %-7.2f             %-7.2f        %-7.2f         %-7.2f                %-7.2f",
                byteSize, iterations, min, max, typical, average, deviation, percentile99, percentile999);
    }

    @Override
    public Map<String, Object> toMap(boolean isGigabit) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("MsgSize", byteSize);
        map.put("n_iterations", iterations);
        map.put("t_min", min);
        map.put("t_max", max);
        map.put("t_typical", typical);
        map.put("t_avg", average);
        map.put("t_stdev", deviation);
        map.put("percentile_99", percentile99);
        map.put("percentile_99.9", percentile999);
        return map;
    }
}
