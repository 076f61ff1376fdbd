package dev.verbena.graph.onnx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Optional;

import dev.verbena.graph.onnx.wire.ModelReader;

/**
 * Reads models. Weights stay in the file, which is mapped: a model of any size takes the Java heap for its nodes only.
 *
 * <p><b>Owner:</b> none; a mapped file is unmapped when nothing of its model is reachable. <b>Threading:</b> thread-safe. The file must not be
 * shortened meanwhile.
 */
public final class OnnxReader {
    private OnnxReader() {}

    /**
     * Maps a file and reads it. Weights that the model keeps in files of their own are looked for beside it, when they are asked for.
     *
     * @throws IOException if the file cannot be mapped
     * @throws OnnxException if it is malformed
     */
    public static OnnxModel read(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
            return ModelReader.read(bytes, String.valueOf(file.getFileName()),
                    Optional.of(file.toAbsolutePath().getParent()));
        }
    }

    /**
     * Reads what is in memory, and stays there: the model has slices of it.
     *
     * @param name what messages call the model
     * @throws OnnxException if it is malformed
     */
    public static OnnxModel read(MemorySegment bytes, String name) {
        return ModelReader.read(bytes.asReadOnly(), name, Optional.empty());
    }
}
