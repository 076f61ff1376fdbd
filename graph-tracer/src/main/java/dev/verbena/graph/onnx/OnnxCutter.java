package dev.verbena.graph.onnx;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.verbena.graph.onnx.wire.ModelPieces;

/**
 * Writes some nodes of a model as a model of their own. Nodes are the bytes of the file, whether they have something that nobody here knows or
 * not; initializers come along, or are left out for who runs the part to give them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. The file must not be changed meanwhile.
 */
public final class OnnxCutter {
    private final OnnxModel model;
    private final ModelPieces pieces;

    private OnnxCutter(OnnxModel model, ModelPieces pieces) {
        this.model = model;
        this.pieces = pieces;
    }

    /**
     * Of the model that was read from this file.
     *
     * @throws IOException if the file cannot be mapped
     * @throws OnnxException if it is malformed
     */
    public static OnnxCutter of(OnnxModel model, Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return of(model, channel.map(MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto()),
                    String.valueOf(file.getFileName()));
        }
    }

    /** Of the model that was read from these bytes. */
    public static OnnxCutter of(OnnxModel model, MemorySegment bytes, String name) {
        return new OnnxCutter(model, new ModelPieces(bytes.asReadOnly(), name));
    }

    /** Names of the initializers that nodes, or the graphs within them, take. */
    public Set<String> initializersOf(Collection<OnnxNode> nodes) {
        Set<String> names = new TreeSet<>();
        nodes.forEach(node -> names.addAll(node.needs()));
        names.retainAll(model.graph().initializers().keySet());
        return names;
    }

    /**
     * A model of these nodes, with the versions of operators, the functions and all else that belongs to the whole model.
     *
     * @param nodes each behind those whose outputs it needs
     * @param inputs what they take of what others make, with types
     * @param outputs what others take of theirs, with types
     * @param isGiven whether the session is given an initializer: the model then has its type and shape only, and says that its elements are in a
     *     file, which does not exist
     * @return the bytes of an ONNX file
     * @throws IllegalArgumentException if the type of an input's or output's elements is not known, or the model would have more than 2 GiB
     */
    public byte[] cut(List<OnnxNode> nodes, List<ValueInfo> inputs, List<ValueInfo> outputs,
            Predicate<OnnxTensor> isGiven) {
        Set<String> kept = new LinkedHashSet<>(initializersOf(nodes));
        Set<String> left = new LinkedHashSet<>(kept);
        left.removeIf(name -> !isGiven.test(model.graph().initializers().get(name)));
        kept.removeAll(left);
        return pieces.write(nodes, inputs, outputs, kept, left);
    }
}
