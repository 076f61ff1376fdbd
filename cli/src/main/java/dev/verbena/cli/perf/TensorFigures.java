package dev.verbena.cli.perf;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What one size has shown.
 *
 * @param protocol that the tensors went by
 * @param first figures of the same size by the first protocol; null of those themselves
 * @param roundTrips of tensors
 * @param rawOneWay of the fabric's writes
 * @param streamed tensors of the bandwidth
 * @param bytesPerSecond of tensors, in a window
 * @param rawBytesPerSecond of the fabric's writes
 * @param copyBytesPerSecond of {@code MemorySegment.copy} by one thread
 * @param handOverBytesPerSecond of the same into memory that another thread takes it from
 * @param stagingBytes that a CPU copied for a tensor before it was sent
 * @param fabricBytes that a CPU copied for a tensor because the fabric has no adapter
 * @param jitMs what the JITs of both sides compiled for meanwhile
 */
record TensorFigures(TensorProtocol protocol, TensorFigures first, long byteSize, RoundTrips roundTrips,
        LatencyFigures rawOneWay, long streamed,
        double bytesPerSecond,
        double rawBytesPerSecond, double copyBytesPerSecond, double handOverBytesPerSecond, double stagingBytes,
        double fabricBytes, long jitMs) {
    private static final double MEBIBYTE = 1 << 20;

    static final String HEADER = String.format(
            "%-11s %-8s %-8s %-11s %-11s %-11s %-9s %-11s %-9s %-13s %-13s %-13s %-13s %-8s %-9s %-10s %-8s %-8s %s",
            " #bytes", "protocol", "#rounds", "t_min[us]", "t_typ[us]", "99%[us]", "usable[%]", "raw[us]", "t/raw",
            "BW[MiB/s]",
            "raw[MiB/s]",
            "copy[MiB/s]", "handed[MiB/s]", "BW/raw", "BW/copy", "BW/handed", "t/first", "BW/first", "CPU[B]");

    /**
     * Of several rounds of the same: the middle one's round trips by what is typical of them, the middle bandwidth.
     *
     * @param first as of a figure
     */
    static TensorFigures median(List<TensorFigures> rounds, TensorFigures first) {
        List<RoundTrips> roundTrips = rounds.stream().map(TensorFigures::roundTrips)
                .sorted(Comparator.comparingDouble(each -> each.oneWay().typical())).toList();
        TensorFigures last = rounds.getLast();
        return new TensorFigures(last.protocol, first, last.byteSize, roundTrips.get(roundTrips.size() / 2),
                last.rawOneWay, last.streamed,
                TensorRaw.median(rounds.stream().mapToDouble(TensorFigures::bytesPerSecond)), last.rawBytesPerSecond,
                last.copyBytesPerSecond, last.handOverBytesPerSecond, last.stagingBytes, last.fabricBytes,
                rounds.stream().mapToLong(TensorFigures::jitMs).sum());
    }

    private LatencyFigures oneWay() {
        return roundTrips.oneWay();
    }

    double timeToRaw() {
        return oneWay().typical() / rawOneWay.typical();
    }

    double bandwidthToRaw() {
        return bytesPerSecond / rawBytesPerSecond;
    }

    double bandwidthToCopy() {
        return bytesPerSecond / copyBytesPerSecond;
    }

    double bandwidthToHandOver() {
        return bytesPerSecond / handOverBytesPerSecond;
    }

    double timeToFirst() {
        return first == null ? 1 : oneWay().typical() / first.oneWay().typical();
    }

    double bandwidthToFirst() {
        return first == null ? 1 : bytesPerSecond / first.bytesPerSecond;
    }

    double cpuBytes() {
        return stagingBytes + fabricBytes;
    }

    String row() {
        return String.format(Locale.ROOT,
                " %-10d %-8s %-8d %-11.2f %-11.2f %-11.2f %-9.1f %-11.2f %-9.2f %-13.2f %-13.2f %-13.2f %-13.2f %-8.3f %-9.3f %-10.3f %-8.3f %-8.3f %.0f",
                byteSize, protocol, oneWay().iterations() - 1, oneWay().min(), oneWay().typical(),
                oneWay().percentile99(),
                100 * roundTrips.usable(),
                rawOneWay.typical(),
                timeToRaw(), bytesPerSecond / MEBIBYTE, rawBytesPerSecond / MEBIBYTE, copyBytesPerSecond / MEBIBYTE,
                handOverBytesPerSecond / MEBIBYTE,
                bandwidthToRaw(), bandwidthToCopy(), bandwidthToHandOver(), timeToFirst(), bandwidthToFirst(),
                cpuBytes());
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("byteSize", byteSize);
        map.put("protocol", protocol.toString());
        map.put("oneWayUsec", times(oneWay()));
        map.put("usable", roundTrips.usable());
        map.put("rawOneWayUsec", times(rawOneWay));
        map.put("oneWayToRaw", timeToRaw());
        map.put("streamed", streamed);
        map.put("bytesPerSecond", bytesPerSecond);
        map.put("rawBytesPerSecond", rawBytesPerSecond);
        map.put("copyBytesPerSecond", copyBytesPerSecond);
        map.put("handOverBytesPerSecond", handOverBytesPerSecond);
        map.put("bandwidthToRaw", bandwidthToRaw());
        map.put("bandwidthToCopy", bandwidthToCopy());
        map.put("bandwidthToHandOver", bandwidthToHandOver());
        map.put("oneWayToFirst", timeToFirst());
        map.put("bandwidthToFirst", bandwidthToFirst());
        map.put("stagingBytesPerTensor", stagingBytes);
        map.put("fabricBytesPerTensor", fabricBytes);
        map.put("jitMs", jitMs);
        return map;
    }

    private static Map<String, Object> times(LatencyFigures figures) {
        Map<String, Object> map = figures.toMap(false);
        map.remove("MsgSize");
        return map;
    }
}
