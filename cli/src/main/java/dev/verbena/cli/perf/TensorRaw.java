package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * What the fabric's write does with a size.
 *
 * @param jitMs while both were measured
 */
record TensorRaw(LatencyFigures oneWay, double bytesPerSecond, long jitMs) {
    /** Called by the client. @return of each size */
    static List<TensorRaw> measure(Conversation conversation, TensorOptions options) {
        List<TensorRaw> all = new ArrayList<>();
        conversation.warmUp();
        for (long byteSize : options.sizes()) {
            int roundTrips = options.roundTrips(byteSize);
            conversation.rehearse(PerfTest.WRITE_LAT, byteSize, roundTrips);
            Measurement latency = conversation.measure(PerfTest.WRITE_LAT, byteSize, roundTrips);
            long streamed = options.streamed(byteSize);
            conversation.rehearse(PerfTest.WRITE_BW, byteSize, streamed);
            List<Measurement> bandwidths = Stream
                    .generate(() -> conversation.measure(PerfTest.WRITE_BW, byteSize, streamed))
                    .limit(TensorOptions.BANDWIDTHS).toList();
            all.add(new TensorRaw((LatencyFigures) latency.figures(),
                    median(bandwidths.stream().mapToDouble(each -> ((BandwidthFigures) each.figures()).average())),
                    latency.jitMs() + bandwidths.stream().mapToLong(Measurement::jitMs).sum()));
        }
        conversation.end();
        return all;
    }

    static double median(DoubleStream bandwidths) {
        double[] sorted = bandwidths.sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
