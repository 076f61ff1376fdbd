package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

/** A layer of a transformer, as exporters write it: shapes are taken apart and put together, and nothing is dynamic but what must be. */
class TransformerTest extends ComparedOperators {
    private static final long WIDTH = 24;

    @Test
    void batchAndSequenceStaySymbols() {
        check("[N, S, 24]", layer());
        InferredShapes shapes = layer().infer();
        assertEquals("FLOAT32 [N, 4, S, S]", shapes.tensor("attention").toString());
        assertEquals("INT64 [4] = {N, S, 4, 6}", shapes.tensor("heads").toString());
        assertEquals(Set.of("the model's inputs decide N, S", "the model's inputs decide S"),
                Set.copyOf(shapes.dynamic().values()));
        assertEquals(Map.of(),
                ShapeInference.of(layer().model()).withSymbol("N", 2).withSymbol("S", 5).infer().dynamic());
    }

    private static TestModel layer() {
        TestModel model = TestModel.of(17).input("ids", I, "N", "S").input("mask", I, "N", "S")
                .zeros("words", F, 100, WIDTH).zeros("positions", F, 64, WIDTH).zeros("scale", F, WIDTH)
                .zeros("bias", F, WIDTH).integers("axis0", 0).integers("axes12", 1, 2).scalar("zero", 0)
                .scalar("one", 1).integers("four_six", 4, 6).integers("width", WIDTH).floats("root", 2.45f);
        model.node("Shape", "ids", "shape").node("Gather", "shape,zero", "batch").node("Gather", "shape,one", "length")
                .node("Range", "zero,length,one", "range").node("Gather", "positions,range", "position")
                .node("Gather", "words,ids", "word").node("Add", "word,position", "sum")
                .node("LayerNormalization", "sum,scale,bias", "x");
        model.node("Unsqueeze", "batch,axis0", "batch1").node("Unsqueeze", "length,axis0", "length1")
                .node("Concat", "batch1,length1,four_six", "heads", "axis", 0)
                .node("Concat", "batch1,length1,width", "flat", "axis", 0);
        for (String each : new String[]{"q", "k", "v"}) {
            model.zeros("w" + each, F, WIDTH, WIDTH).node("MatMul", "x,w" + each, "p" + each)
                    .node("Add", "p" + each + ",bias", "a" + each).node("Reshape", "a" + each + ",heads", "r" + each)
                    .node("Transpose", "r" + each, each, "perm",
                            each.equals("k") ? longs(0, 2, 3, 1) : longs(0, 2, 1, 3));
        }
        model.node("Unsqueeze", "mask,axes12", "mask4").node("Cast", "mask4", "maskf", "to",
                ElementType.FLOAT32.code());
        model.node("MatMul", "q,k", "scores").node("Div", "scores,root", "scaled").node("Add", "scaled,maskf", "masked")
                .node("Softmax", "masked", "attention", "axis", -1).node("MatMul", "attention,v", "context")
                .node("Transpose", "context", "together", "perm", longs(0, 2, 1, 3))
                .node("Reshape", "together,flat", "joined").zeros("wo", F, WIDTH, WIDTH)
                .node("MatMul", "joined,wo", "projected").node("Add", "projected,x", "residual")
                .node("LayerNormalization", "residual,scale,bias", "normal");
        return model.zeros("w1", F, WIDTH, 4 * WIDTH).zeros("w2", F, 4 * WIDTH, WIDTH).node("MatMul", "normal,w1", "up")
                .node("Erf", "up", "erf").node("Mul", "up,erf", "gelu").node("MatMul", "gelu,w2", "down")
                .node("Add", "down,normal", "y").output("y");
    }
}
