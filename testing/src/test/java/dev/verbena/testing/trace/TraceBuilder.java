package dev.verbena.testing.trace;

import java.util.ArrayList;
import java.util.List;

/** Writes a trace line by line; ids come by themselves. */
final class TraceBuilder {
    private final List<TraceEvent> events = new ArrayList<>();
    private int allocationCount;
    private int thread;

    /** What follows is done by that thread. */
    void onThread(int index) {
        thread = index;
    }

    int allocate(long byteSize) {
        events.add(new TraceEvent.Allocate(allocationCount, byteSize, thread));
        return allocationCount++;
    }

    void free(int id) {
        events.add(new TraceEvent.Free(id, thread));
    }

    void mark() {
        events.add(new TraceEvent.Mark());
    }

    Trace build() {
        return new Trace(events);
    }
}
