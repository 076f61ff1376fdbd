package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.List;

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
            Measurement latency = conversation.measured(PerfTest.WRITE_LAT, byteSize, options.roundTrips(byteSize));
            Measurement bandwidth = conversation.measured(PerfTest.WRITE_BW, byteSize, options.streamed(byteSize));
            all.add(new TensorRaw((LatencyFigures) latency.figures(),
                    ((BandwidthFigures) bandwidth.figures()).average(), latency.jitMs() + bandwidth.jitMs()));
        }
        conversation.end();
        return all;
    }
}
