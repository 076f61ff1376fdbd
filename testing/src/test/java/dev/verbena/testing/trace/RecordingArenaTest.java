package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;

/** What is done to an arena stands in the trace, and only that. */
class RecordingArenaTest {
    private static final long MIB = 1024 * 1024;

    private final TraceRecorder recorder = new TraceRecorder();

    @Test
    void allocationsFreesMarksAndThreadsAreNoted() throws Exception {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            RecordingArena recording = new RecordingArena(arena, recorder);
            Tensor first = recording.allocate(ElementType.FLOAT32, Shape.of(10, 10));
            recorder.mark();
            Tensor second = recording.allocate(ElementType.UINT8, Shape.of(7));
            assertNull(recording.tryAllocate(ElementType.UINT8, Shape.of(2 * MIB)));
            Thread other = new Thread(first::close);
            other.start();
            other.join();
            TensorLease lease = TensorLease.of(second);
            second.close();
            recorder.mark();
            lease.close();
            assertEquals(List.of(new TraceEvent.Allocate(0, 400, 0), new TraceEvent.Mark(),
                    new TraceEvent.Allocate(1, 7, 0), new TraceEvent.Free(0, 1), new TraceEvent.Mark(),
                    new TraceEvent.Free(1, 0)), recorder.trace().events());
            assertEquals(0, arena.statistics().liveCount());
        }
    }

    @Test
    void whatIsLiveEndsWithTheTrace() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            RecordingArena recording = new RecordingArena(arena, recorder);
            Tensor tensor = recording.allocate(ElementType.UINT8, Shape.of(1));
            assertEquals(List.of(new TraceEvent.Allocate(0, 1, 0), new TraceEvent.Free(0, 0)),
                    recorder.trace().events());
            assertTrue(tensor.isOpen());
            tensor.close();
            assertThrows(IllegalStateException.class, tensor::close);
            assertEquals(2, recorder.trace().events().size());
        }
    }

    @Test
    void aRecordingIsWhatWasReplayed() {
        Trace trace = trace();
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 64 * MIB)) {
            RecordingArena recording = new RecordingArena(arena, recorder);
            Tensor[] tensors = new Tensor[trace.allocationCount()];
            TraceReplay.inOrder(trace, new ReplayTarget() {
                @Override
                public void allocate(int id, long byteSize) {
                    tensors[id] = recording.allocate(ElementType.UINT8, Shape.of(byteSize));
                }

                @Override
                public void free(int id) {
                    tensors[id].close();
                }
            });
        }
        assertEquals(trace, recorder.trace());
    }

    @Test
    void whatCannotBeIsRefused() {
        recorder.allocated(64, 1);
        assertThrows(IllegalStateException.class, () -> recorder.allocated(64, 1));
        assertThrows(IllegalArgumentException.class, () -> recorder.freed(128));
        recorder.freed(64);
        assertThrows(IllegalArgumentException.class, () -> recorder.freed(64));
        assertEquals(1, recorder.trace().allocationCount());
    }

    private static Trace trace() {
        Random random = new Random(1);
        TraceBuilder trace = new TraceBuilder();
        int[] live = new int[100];
        for (int i = 0; i < live.length; i++) {
            live[i] = trace.allocate(random.nextInt(100_000));
        }
        for (int i = 0; i < 1000; i++) {
            int which = random.nextInt(live.length);
            trace.free(live[which]);
            live[which] = trace.allocate(random.nextInt(100_000));
        }
        for (int id : live) {
            trace.free(id);
        }
        return trace.build();
    }
}
