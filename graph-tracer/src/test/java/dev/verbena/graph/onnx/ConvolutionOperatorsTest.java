package dev.verbena.graph.onnx;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

/** Windows over images, resizing, and recurrent networks. */
class ConvolutionOperatorsTest extends ComparedOperators {
    @Test
    void convolutions() {
        check("[N, 8, H - 2, W - 2]", image(11).zeros("w", F, 8, 4, 3, 3).node("Conv", "x,w", "y"));
        check("[N, 8, H, W]", image(11).zeros("w", F, 8, 4, 3, 3).zeros("b", F, 8).node("Conv", "x,w,b", "y", "pads",
                longs(1, 1, 1, 1)));
        check("[N, 8, quotient(H + 1, 2), quotient(W + 1, 2)]", image(11).zeros("w", F, 8, 4, 3, 3).node("Conv",
                "x,w", "y", "pads", longs(1, 1, 1, 1), "strides", longs(2, 2)));
        check("[N, 6, H - 4, W - 4]", image(11).zeros("w", F, 6, 2, 3, 3).node("Conv", "x,w", "y", "group", 2,
                "dilations", longs(2, 2), "kernel_shape", longs(3, 3)));
        check("[1, 6, 5, 3]", TestModel.of(11).input("x", F, 1, 4, 9, 8).zeros("w", F, 6, 4, 3, 3).node("Conv", "x,w",
                "y", "auto_pad", "SAME_UPPER", "strides", longs(2, 3)));
        check("[1, 6, 4, 2]", TestModel.of(11).input("x", F, 1, 4, 9, 8).zeros("w", F, 6, 4, 3, 3).node("Conv", "x,w",
                "y", "auto_pad", "VALID", "strides", longs(2, 3)));
        check("[N, 6, S - 2]", TestModel.of(11).input("x", F, "N", 4, "S").zeros("w", F, 6, 4, 3).node("Conv", "x,w",
                "y"));
        check("[N, 5, S - 1, H - 1, W - 1]", TestModel.of(11).input("x", F, "N", 1, "S", "H", "W").zeros("w", F, 5, 1,
                2, 2, 2).node("Conv", "x,w", "y"));
        check("[N, 6, H - 2, W - 2]", TestModel.of(11).input("x", ElementType.UINT8, "N", 4, "H", "W")
                .zeros("w", ElementType.UINT8, 6, 4, 3, 3).node("ConvInteger", "x,w", "y"));
        check("[N, 6, H - 2, W - 2]", TestModel.of(11).input("x", ElementType.UINT8, "N", 4, "H", "W")
                .zeros("w", ElementType.UINT8, 6, 4, 3, 3).zeros("scale", F)
                .zeros("z", ElementType.UINT8).node("QLinearConv", "x,scale,z,w,scale,z,scale,z", "y"));
    }

    @Test
    void transposedConvolutions() {
        check("[N, 8, H + 2, W + 2]", image(11).zeros("w", F, 4, 8, 3, 3).node("ConvTranspose", "x,w", "y"));
        check("[N, 8, 2*H, 2*W]", image(11).zeros("w", F, 4, 8, 3, 3).node("ConvTranspose", "x,w", "y", "strides",
                longs(2, 2), "pads", longs(1, 1, 1, 1), "output_padding", longs(1, 1)));
        check("[N, 16, 2*H, 2*W]", image(11).zeros("w", F, 4, 8, 2, 2).node("ConvTranspose", "x,w", "y", "strides",
                longs(2, 2), "group", 2));
        check("[N, 8, 20, 18]", image(11).zeros("w", F, 4, 8, 3, 3).node("ConvTranspose", "x,w", "y", "strides",
                longs(2, 2), "output_shape", longs(20, 18)));
        check("[N, 8, 2*H, 2*W]", image(11).zeros("w", F, 4, 8, 3, 3).node("ConvTranspose", "x,w", "y", "strides",
                longs(2, 2), "auto_pad", "SAME_UPPER"));
        check("[N, 8, 2*H + 3, 2*W + 3]", image(11).zeros("w", F, 4, 8, 3, 3).node("ConvTranspose", "x,w", "y",
                "strides", longs(2, 2), "dilations", longs(2, 2)));
    }

    @Test
    void pools() {
        check("[N, 4, quotient(H, 2), quotient(W, 2)]; [N, 4, quotient(H, 2), quotient(W, 2)]",
                image(11).node("MaxPool", "x", "y,i", "kernel_shape", longs(2, 2), "strides", longs(2, 2)));
        check("[N, 4, H - 1, W - 1]", image(11).node("AveragePool", "x", "y", "kernel_shape", longs(2, 2)));
        for (int size = 5; size < 14; size++) {
            for (int stride = 1; stride < 4; stride++) {
                int expected = (size + 2 - 3 + stride - 1) / stride + 1;
                expected -= (expected - 1) * stride >= size + 1 ? 1 : 0;
                check("[1, 1, " + expected + "]", TestModel.of(19).input("x", F, 1, 1, size).node("AveragePool", "x",
                        "y", "kernel_shape", longs(3), "strides", longs(stride), "ceil_mode", 1, "pads", longs(1, 1)));
                check("[1, 1, " + expected + "]", TestModel.of(12).input("x", F, 1, 1, size).node("MaxPool", "x", "y",
                        "kernel_shape", longs(3), "strides", longs(stride), "ceil_mode", 1, "pads", longs(1, 1)));
            }
        }
        check("[N, 4, H - 4, W - 4]", image(12).node("MaxPool", "x", "y", "kernel_shape", longs(3, 3), "dilations",
                longs(2, 2)));
        check("[N, 4, H - 1, W - 1]", image(11).node("LpPool", "x", "y", "kernel_shape", longs(2, 2)));
        check("[N, 4, 1, 1]", image(11).node("GlobalAveragePool", "x", "y"));
        check("[N, 4, 1, 1]", image(11).node("GlobalMaxPool", "x", "y"));
        check("[N, 4, 1, 1]", image(11).node("GlobalLpPool", "x", "y"));
    }

    @Test
    void resizing() {
        check("[N, 4, 2*H, 2*W]", image(11).floats("s", 1, 1, 2, 2).floats("roi").node("Resize", "x,roi,s", "y"));
        check("[N, 4, quotient(H, 2), quotient(W, 2)]", image(13).floats("s", 1, 1, 0.5f, 0.5f).node("Resize",
                "x,,s", "y"));
        check("[N, 4, 20, 30]", image(13).node("Shape", "x", "all").integers("two", 2).integers("zero", 0)
                .integers("size", 20, 30).node("Slice", "all,zero,two", "head").node("Concat", "head,size", "sizes",
                        "axis", 0)
                .node("Resize", "x,,,sizes", "y"));
        check("[N, 4, 20, 30]", image(18).integers("sizes", 20, 30).node("Resize", "x,,,sizes", "y", "axes",
                longs(2, 3)));
        check("[1, 4, 13, 12]", TestModel.of(13).input("x", F, 1, 4, 9, 8).floats("s", 1, 1, 1.5f, 1.5f).node("Resize",
                "x,,s", "y"));
        check("[N, 4, 3*H, 3*W]", image(10).floats("s", 1, 1, 3, 3).node("Resize", "x,s", "y"));
        check("[N, 4, 3*H, 3*W]", image(9).floats("s", 1, 1, 3, 3).node("Upsample", "x,s", "y"));
        check("[N, 4, 2*H, W]", image(7).node("Upsample", "x", "y", "scales", new float[]{1, 1, 2, 1}));
        check("[N, 4, y[2], y[3]]", image(13).floats("s", 1, 1, 1.5f, 1.5f).node("Resize", "x,,s", "y"));
        check("[N, 4, S, M]", image(16).input("g", F, "N", "S", "M", 2).node("GridSample", "x,g", "y"));
        check("[M, 4, 3, 2]", image(16).input("r", F, "M", 4).input("b", I, "M").node("RoiAlign", "x,r,b", "y",
                "output_height", 3, "output_width", 2));
    }

    @Test
    void recurrence() {
        TestModel sequence = TestModel.of(14).input("x", F, "S", "N", 3);
        check("[S, 1, N, 5]; [1, N, 5]; [1, N, 5]", sequence.zeros("w", F, 1, 20, 3).zeros("r", F, 1, 20, 5)
                .node("LSTM", "x,w,r", "y,h,c", "hidden_size", 5));
        check("[S, 2, N, 5]; [2, N, 5]", TestModel.of(14).input("x", F, "S", "N", 3).zeros("w", F, 2, 15, 3).zeros("r",
                F, 2, 15, 5).node("GRU", "x,w,r", "y,h", "hidden_size", 5, "direction", "bidirectional"));
        check("[S, 1, N, 5]; [1, N, 5]", TestModel.of(14).input("x", F, "S", "N", 3).zeros("w", F, 1, 5, 3).zeros("r",
                F, 1, 5, 5).node("RNN", "x,w,r", "y,h", "hidden_size", 5, "direction", "reverse"));
    }
}
