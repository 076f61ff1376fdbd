package dev.verbena.training.checkpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Map;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;

/** Writes one checkpoint after the other until it is killed: each has its iteration everywhere. */
final class CheckpointsUnderKill {
    static final String VARIABLE = "w";
    static final int COUNT = 1 << 20;

    private CheckpointsUnderKill() {}

    public static void main(String[] arguments) {
        try (Arena scope = Arena.ofConfined()) {
            Tensor variable = new HeapOfTensors(scope).floats(Shape.of(COUNT), new float[COUNT]);
            for (int iteration = 0;; iteration++) {
                for (int i = 0; i < COUNT; i++) {
                    variable.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, iteration);
                }
                CheckpointWriter.write(Path.of(arguments[0]),
                        new CheckpointHeader("task", "options", iteration, Map.of()), Map.of(VARIABLE, variable));
            }
        }
    }
}
