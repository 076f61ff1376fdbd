package dev.verbena.cli.trace;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.partition.CrossingFigures;
import dev.verbena.graph.partition.PartitionFigures;
import dev.verbena.graph.partition.Partitioning;

/**
 * All that is shown of a model.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param name of its file
 */
record Trace(String name, OnnxModel model, InferredShapes shapes, Partitioning partitioning, PartitionFigures figures) {
    static Trace of(String name, OnnxModel model, InferredShapes shapes, Partitioning partitioning) {
        return new Trace(name, model, shapes, partitioning,
                PartitionFigures.of(model.graph(), shapes, partitioning));
    }

    /** What one run sends, of tensors of known size. */
    long sentBytes() {
        return figures.parts().stream().mapToLong(part -> part.sentBytes()).sum();
    }

    /** How many tensors are sent: one to two parts counts twice. */
    int transferCount() {
        return figures.crossings().stream().mapToInt(Trace::transferCount).sum();
    }

    private static int transferCount(CrossingFigures crossing) {
        return crossing.crossing().consumerParts().size();
    }

    /** As tables show it. */
    static String protocol(CrossingFigures crossing) {
        return switch (crossing.protocol()) {
            case STATIC_PLACEMENT -> "static";
            case DYNAMIC_ALLOCATION -> "dynamic";
        };
    }
}
