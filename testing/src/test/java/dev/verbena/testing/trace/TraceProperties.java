package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** Whatever is well-formed survives being written, filtered and recorded. */
class TraceProperties {
    @Property
    void textSaysItAll(@ForAll("traces") Trace trace) throws IOException {
        assertEquals(trace, TraceText.parse("x", new StringReader(TraceText.print(trace, "any"))));
    }

    @Property
    void aFilteredTraceIsATraceOfWhatFits(@ForAll("traces") Trace trace, @ForAll @LongRange(max = 1 << 20) long min,
            @ForAll @LongRange(max = 1 << 20) long max) {
        Trace filtered = trace.withinByteSizes(min, max);
        List<Long> expected = new ArrayList<>();
        for (long byteSize : trace.byteSizes()) {
            if (byteSize >= min && byteSize <= max) {
                expected.add(byteSize);
            }
        }
        List<Long> actual = new ArrayList<>();
        for (long byteSize : filtered.byteSizes()) {
            actual.add(byteSize);
        }
        assertEquals(expected, actual);
        assertEquals(trace.iterationCount(), filtered.iterationCount());
        assertTrue(filtered.livePeakByteSize() <= trace.livePeakByteSize());
    }

    /** The peak is that of a replay that keeps count. */
    @Property
    void thePeakIsWhatAReplaySees(@ForAll("traces") Trace trace) {
        long[] live = {0, 0};
        long[] byteSizes = new long[trace.allocationCount()];
        TraceReplay.inOrder(trace, new ReplayTarget() {
            @Override
            public void allocate(int id, long byteSize) {
                byteSizes[id] = byteSize;
                live[0] += byteSize;
                live[1] = Math.max(live[1], live[0]);
            }

            @Override
            public void free(int id) {
                live[0] -= byteSizes[id];
            }
        });
        assertEquals(0, live[0]);
        assertEquals(trace.livePeakByteSize(), live[1]);
    }

    @Provide
    Arbitrary<Trace> traces() {
        return Arbitraries.randomValue(TraceProperties::trace);
    }

    private static Trace trace(Random random) {
        TraceBuilder trace = new TraceBuilder();
        List<Integer> live = new ArrayList<>();
        int threads = 1 + random.nextInt(3);
        for (int steps = random.nextInt(60); steps > 0; steps--) {
            trace.onThread(random.nextInt(threads));
            switch (random.nextInt(5)) {
                case 0, 1 -> live.add(trace.allocate(random.nextInt(1 << random.nextInt(21))));
                case 2, 3 -> {
                    if (!live.isEmpty()) {
                        trace.free(live.remove(random.nextInt(live.size())));
                    }
                }
                default -> trace.mark();
            }
        }
        live.forEach(trace::free);
        return trace.build();
    }
}
