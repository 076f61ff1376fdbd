package dev.verbena.graph.onnx;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;

/** What puts elements elsewhere, takes some, or makes them out of shapes. */
class LayoutOperatorsTest extends ComparedOperators {
    @Test
    void reshaping() {
        check("[N, 2, 3]", matrix(13).integers("s", 0, 2, 3).node("Reshape", "x,s", "y"));
        check("[N, 2, 3]", matrix(13).integers("s", 0, 2, -1).node("Reshape", "x,s", "y"));
        check("[2*N, 3]", matrix(13).integers("s", -1, 3).node("Reshape", "x,s", "y"));
        check("[6*N]", matrix(13).integers("s", -1).node("Reshape", "x,s", "y"));
        check("[1, N, 6]", matrix(13).integers("s", 1, -1, 6).node("Reshape", "x,s", "y"));
        check("[2, 3]", TestModel.of(4).input("x", F, 3, 2).node("Reshape", "x", "y", "shape", longs(2, -1)));
        check("[N, 4, H*W]", image(13).integers("s", 0, 0, -1).node("Reshape", "x,s", "y"));
        check("[0, 3]",
                TestModel.of(14).input("x", F, 0, 2).integers("s", 0, 3).node("Reshape", "x,s", "y", "allowzero",
                        1));
        check("[N, 24]", TestModel.of(13).input("x", F, "N", 4, 2, 3).node("Flatten", "x", "y"));
        check("[1, 24*N]", TestModel.of(13).input("x", F, "N", 4, 2, 3).node("Flatten", "x", "y", "axis", 0));
        check("[24*N, 1]", TestModel.of(13).input("x", F, "N", 4, 2, 3).node("Flatten", "x", "y", "axis", 4));
        check("[8*N, 3]", TestModel.of(13).input("x", F, "N", 4, 2, 3).node("Flatten", "x", "y", "axis", -1));
        check("[W, 4, N, H]", image(13).node("Transpose", "x", "y", "perm", longs(3, 1, 0, 2)));
        check("[6, N]", matrix(13).node("Transpose", "x", "y"));
    }

    @Test
    void dimensionsOfOne() {
        TestModel model = TestModel.of(11).input("x", F, 1, "N", 1, 3);
        check("[N, 3]", model.node("Squeeze", "x", "y", "axes", longs(0, -2)));
        check("[N, 1, 3]", TestModel.of(13).input("x", F, 1, "N", 1, 3).integers("a", 0).node("Squeeze", "x,a", "y"));
        check("[4, 3]", TestModel.of(13).input("x", F, 1, 4, 1, 3).node("Squeeze", "x", "y"));
        check("?", TestModel.of(13).input("x", F, 1, "N", 1, 3).node("Squeeze", "x", "y"));
        check("[1, N, 6, 1]", matrix(11).node("Unsqueeze", "x", "y", "axes", longs(0, 3)));
        check("[N, 1, 6, 1]", matrix(13).integers("a", 1, -1).node("Unsqueeze", "x,a", "y"));
    }

    @Test
    void joiningAndSplitting() {
        check("[M + N, 6]", matrix(13).input("z", F, "M", 6).node("Concat", "x,z", "y", "axis", 0));
        check("[N, 13]", matrix(13).input("z", F, "N", 7).node("Concat", "x,z", "y", "axis", -1));
        checkInferred("[N, 12]", matrix(3).input("z", F, "N", 6).node("Concat", "x,z", "y"));
        check("[N, 3]; [N, 3]", matrix(11).node("Split", "x", "y,z", "axis", 1));
        check("[N, 2]; [N, 4]", matrix(11).node("Split", "x", "y,z", "axis", 1, "split", longs(2, 4)));
        check("[N, 1]; [N, 5]", matrix(13).integers("s", 1, 5).node("Split", "x,s", "y,z", "axis", -1));
        check("[2, N]; [2, N]; [1, N]", TestModel.of(18).input("x", F, 5, "N").node("Split", "x", "y,z,w",
                "num_outputs", 3));
        check("[N, 12]", matrix(13).integers("r", 1, 2).node("Tile", "x,r", "y"));
        check("[3*N, 6]", matrix(13).integers("r", 3, 1).node("Tile", "x,r", "y"));
        check("[N, 9]", matrix(13).integers("p", 0, 1, 0, 2).node("Pad", "x,p", "y"));
        check("[N + 1, 6]", matrix(2).node("Pad", "x", "y", "pads", longs(1, 0, 0, 0)));
        check("[N, 10]", matrix(18).integers("p", 1, 3).integers("a", 1).node("Pad", "x,p,,a", "y"));
        check("[N, 1, 2*H, 2*W]", image(13).node("DepthToSpace", "x", "y", "blocksize", 2));
        check("[N, 16, 4, 2]", TestModel.of(13).input("x", F, "N", 4, 8, 4).node("SpaceToDepth", "x", "y", "blocksize",
                2));
        check("[4, N, 6]", matrix(13).integers("s", 4, 1, 1).node("Expand", "x,s", "y"));
        check("[N, 5]", TestModel.of(13).input("x", F, "N", 1).integers("s", 1, 5).node("Expand", "x,s", "y"));
    }

    @Test
    void slices() {
        check("[N, 3]", slice(13, longs(1), longs(4), longs(1), longs(1)));
        check("[N, 2]", slice(13, longs(1), longs(4), longs(-1), longs(2)));
        check("[N, 6]", slice(13, longs(0), longs(Long.MAX_VALUE), longs(1), longs(1)));
        check("[N, 6]", slice(13, longs(-1), longs(Long.MIN_VALUE), longs(1), longs(-1)));
        check("[N, 2]", slice(13, longs(4), longs(1), longs(1), longs(-2)));
        check("[N, 0]", slice(13, longs(4), longs(2), longs(1), longs(1)));
        check("[N, 5]", slice(13, longs(-100), longs(-1), longs(1), longs(1)));
        check("[N, 6]", slice(13, longs(0), longs(Long.MAX_VALUE), longs(0), longs(1)));
        check("[max(N - 1, 0), 6]", slice(13, longs(0), longs(-1), longs(0), longs(1)));
        check("[max(N - 1, 0), 6]", slice(13, longs(1), longs(Integer.MAX_VALUE), longs(0), longs(1)));
        check("[min(1, N), 6]", slice(13, longs(-1), longs(Long.MAX_VALUE), longs(0), longs(1)));
        check("[N, 6]", slice(13, longs(-1), longs(Long.MIN_VALUE), longs(0), longs(-1)));
        check("[quotient(N + 1, 2), 6]", slice(13, longs(0), longs(Long.MAX_VALUE), longs(0), longs(2)));
        check("[min(1, N), 6]", slice(13, longs(0), longs(1), longs(0), longs(1)));
        check("[N, 2]", matrix(9).node("Slice", "x", "y", "starts", longs(2), "ends", longs(4), "axes", longs(1)));
        check("[min(2, N), 3]", matrix(9).node("Slice", "x", "y", "starts", longs(0, 0), "ends", longs(2, 3)));
    }

    private static TestModel slice(long opset, long[] starts, long[] ends, long[] axes, long[] steps) {
        return matrix(opset).integers("a", starts).integers("b", ends).integers("c", axes).integers("d", steps)
                .node("Slice", "x,a,b,c,d", "y");
    }

    /** All small slices of 5 elements, with their elements. */
    @Test
    void slicesOfShapes() {
        for (int start = -7; start <= 7; start++) {
            for (int end = -7; end <= 7; end++) {
                for (int step : new int[]{-3, -2, -1, 1, 2, 3}) {
                    int length = length(start, end, step, 5);
                    check("[" + length + "]", TestModel.of(13).input("x", F, 2, 3, 5, 7, 11).node("Shape", "x", "s")
                            .integers("a", start).integers("b", end).integers("c", 0).integers("d", step)
                            .node("Slice", "s,a,b,c,d", "y"));
                }
            }
        }
    }

    /** A table of numbers is cut and turned as well: exporters write paddings so, last dimension first. */
    @Test
    void slicesOfTables() {
        check("[2, 2]", table().integers("a", -1, 3).integers("b", Long.MIN_VALUE, 0).integers("c", 0, 1)
                .integers("d", -1, -2).node("Slice", "t,a,b,c,d", "y"));
        check("[2, 1]", table().integers("a", 1).integers("b", Long.MAX_VALUE).integers("c", 1)
                .integers("d", Long.MAX_VALUE).node("Slice", "t,a,b,c,d", "y"));
        check("[0, 4]", table().integers("a", 7).integers("b", 9).node("Slice", "t,a,b", "y"));
        check("[4, 2]", table().node("Transpose", "t", "y"));
        check("[2, 2, 2]", table().integers("s", 2, 2, 2).node("Reshape", "t,s", "u").node("Transpose", "u", "y",
                "perm", longs(2, 0, 1)));
        check("[N, 12, 9]", TestModel.of(13).input("x", F, "N", 9, 8).integers("p", 0, 1, 3, 0).integers("zero", 0)
                .node("ConstantOfShape", "zero", "z", "value", tensor(0)).integers("two", 0, 0)
                .node("Concat", "p,z,two", "all", "axis", 0).integers("pairs", -1, 2)
                .node("Reshape", "all,pairs", "t").integers("a", -1).integers("b", Long.MIN_VALUE).integers("c", 0)
                .integers("d", -1).node("Slice", "t,a,b,c,d", "turned").node("Transpose", "turned", "u")
                .integers("flat", -1).node("Reshape", "u,flat", "pads").node("Pad", "x,pads", "y"));
    }

    private static TestModel table() {
        return TestModel.of(13).integers("v", 2, 3, 5, 7, 11, 13, 17, 19).integers("size", 2, 4)
                .node("Reshape", "v,size", "t");
    }

    /** As Python slices, but that a start before the first element is the first element backwards too. */
    private static int length(int start, int end, int step, int size) {
        int first = Math.clamp(start < 0 ? start + size : start, 0, step < 0 ? size - 1 : size);
        int last = Math.clamp(end < 0 ? end + size : end, step < 0 ? -1 : 0, step < 0 ? size - 1 : size);
        int length = 0;
        for (int i = first; step > 0 ? i < last : i > last; i += step) {
            length++;
        }
        return length;
    }

    @Test
    void indices() {
        check("[M, 6]", matrix(13).input("i", I, "M").node("Gather", "x,i", "y"));
        check("[N, M, S]", matrix(13).input("i", I, "M", "S").node("Gather", "x,i", "y", "axis", 1));
        check("[6]", matrix(13).scalar("i", 1).node("Gather", "x,i", "y"));
        check("[M, 2]", matrix(13).input("i", I, "M", 2).node("GatherElements", "x,i", "y"));
        check("[M, 6]", matrix(13).input("i", I, "M", 1).node("GatherND", "x,i", "y"));
        check("[M]", matrix(13).input("i", I, "M", 2).node("GatherND", "x,i", "y"));
        check("[N, 6]", matrix(13).input("i", I, "M", 1).input("u", F, "M", 6).node("ScatterND", "x,i,u", "y"));
        check("[N, 6]", matrix(13).input("i", I, 1, 3).input("u", F, 1, 3).node("ScatterElements", "x,i,u", "y"));
        check("[N, 6, 7]", TestModel.of(13).input("i", I, "N", 6).scalar("d", 7).floats("v", 0, 1).node("OneHot",
                "i,d,v", "y"));
        check("[7, N, 6]", TestModel.of(13).input("i", I, "N", 6).scalar("d", 7).floats("v", 0, 1).node("OneHot",
                "i,d,v", "y", "axis", 0));
        check("[N, 2]; [N, 2]", matrix(13).integers("k", 2).node("TopK", "x,k", "y,i"));
        check("[N, 2]; [N, 2]", matrix(9).node("TopK", "x", "y,i", "k", 2));
        check("[2, y[1]]", matrix(13).node("NonZero", "x", "y"));
        // The range of a dimension, from before there was Range.
        check("[N]", matrix(10).integers("first", 0).node("Shape", "x", "s").node("Gather", "s,first", "n")
                .node("ConstantOfShape", "n", "ones", "value", tensor(1)).node("NonZero", "ones", "i")
                .node("Transpose", "i", "t", "perm", longs(1, 0)).node("Squeeze", "t", "y", "axes", longs(1)));
        check("[2, 0]", matrix(13).node("Shape", "x", "s").node("ConstantOfShape", "s", "z", "value", tensor(0))
                .node("NonZero", "z", "y"));
        check("[1, 2]", matrix(13).integers("v", 3, 0, -1).node("NonZero", "v", "y"));
        check("[y[0]]; [y[0]]; [6*N]; [y[0]]", matrix(13).node("Unique", "x", "y,i,j,c"));
        check("[N, y[1]]; [y[1]]; [6]; [y[1]]", matrix(13).node("Unique", "x", "y,i,j,c", "axis", 1));
        check("[y[0]]", matrix(13).input("c", ElementType.BOOL, 6).node("Compress", "x,c", "y"));
        check("[N, y[1]]", matrix(13).input("c", ElementType.BOOL, 6).node("Compress", "x,c", "y", "axis", 1));
        check("[y[0], 3]", TestModel.of(13).input("b", F, "N", 5, 4).input("s", F, "N", 3, 5).node("NonMaxSuppression",
                "b,s", "y"));
    }

    @Test
    void sources() {
        check("[4]", image(13).node("Shape", "x", "y"));
        check("[2]", image(15).node("Shape", "x", "y", "start", -2));
        check("[1]", image(15).node("Shape", "x", "y", "start", 1, "end", 2));
        check("[]", image(13).node("Size", "x", "y"));
        check("[3]", TestModel.of(13).node("Constant", "", "y", "value_ints", longs(1, 2, 3)));
        check("[]", TestModel.of(13).node("Constant", "", "y", "value_float", 1f));
        check("[2]", TestModel.of(13).node("Constant", "", "y", "value_floats", new float[]{1, 2}));
        check("[2]", TestModel.of(13).node("Constant", "", "y", "value", tensor(1, 2)));
        check("[2, 3]", TestModel.of(13).integers("s", 2, 3).node("ConstantOfShape", "s", "y", "value", tensor(5)));
        check("[N, 6]", matrix(13).node("Shape", "x", "s").node("ConstantOfShape", "s", "y"));
        check("[5]", TestModel.of(13).scalar("a", 0).scalar("b", 10).scalar("c", 2).node("Range", "a,b,c", "y"));
        check("[4]", TestModel.of(13).scalar("a", 10).scalar("b", 0).scalar("c", -3).node("Range", "a,b,c", "y"));
        check("[N]", TestModel.of(13).input("x", F, "N").scalar("a", 0).scalar("c", 1).node("Size", "x", "n")
                .node("Range", "a,n,c", "y"));
        check("[y[0]]", TestModel.of(13).input("b", I).scalar("a", 0).scalar("c", 1).node("Range", "a,b,c", "y"));
        check("[N, 6]", matrix(13).node("EyeLike", "x", "y"));
        check("[N, 6]", matrix(13).node("EyeLike", "x", "y", "dtype", 7));
        check("[2, 3]", TestModel.of(13).node("RandomNormal", "", "y", "shape", longs(2, 3)));
        check("[2, 3]", TestModel.of(13).node("RandomUniform", "", "y", "shape", longs(2, 3), "dtype", 11));
        check("[N, 6]", matrix(13).node("RandomNormalLike", "x", "y"));
        check("[N, 6]", matrix(15).node("Bernoulli", "x", "y"));
        check("[N, 6]", matrix(13).node("RandomUniformLike", "x", "y"));
    }

    /** What exporters write where a shape is taken apart and put together. */
    @Test
    void shapesAsValues() {
        check("[N, S, 12, 64]", TestModel.of(13).input("x", F, "N", "S", 768).node("Shape", "x", "s").scalar("i0", 0)
                .scalar("i1", 1).integers("axes", 0).integers("heads", 12, 64).node("Gather", "s,i0", "n")
                .node("Gather", "s,i1", "l").node("Unsqueeze", "n,axes", "n1").node("Unsqueeze", "l,axes", "l1")
                .node("Concat", "n1,l1,heads", "t", "axis", 0).node("Reshape", "x,t", "y"));
        check("[N*S, 768]", TestModel.of(13).input("x", F, "N", "S", 768).node("Shape", "x", "s").scalar("i0", 0)
                .scalar("i1", 1).integers("axes", 0).integers("rest", -1).node("Gather", "s,i0", "n")
                .node("Gather", "s,i1", "l").node("Mul", "n,l", "p").node("Unsqueeze", "p,axes", "p1")
                .node("Concat", "p1,rest", "t", "axis", 0).node("Reshape", "x,t", "y"));
        check("[N, 3, 2]", matrix(13).node("Shape", "x", "s").scalar("i", 1).scalar("two", 2).integers("axes", 0)
                .integers("zero", 0).node("Gather", "s,i", "six").node("Div", "six,two", "three").node("Unsqueeze",
                        "three,axes", "t1")
                .integers("twos", 2).node("Concat", "zero,t1,twos", "t", "axis", 0).node("Reshape", "x,t", "y"));
        // Expand by a shape in which -1 stands for what is there.
        check("[N, 6]", TestModel.of(13).input("x", F, "N", 1).integers("w", -1, 6).integers("m", -1).integers("two", 2)
                .node("ConstantOfShape", "two", "ones", "value", tensor(1)).node("Equal", "w,m", "is")
                .node("Where", "is,ones,w", "t").node("Expand", "x,t", "y"));
        check("[2*H, W]", image(13).node("Shape", "x", "s").scalar("two", 2).integers("a", 2).integers("b", 3)
                .integers("e", 4).integers("axes", 0).node("Slice", "s,a,b", "h").node("Slice", "s,b,e", "w")
                .node("Mul", "h,two", "h2").node("Concat", "h2,w", "t", "axis", 0).node("ConstantOfShape", "t", "y"));
        check("[30]", TestModel.of(13).input("x", F, 2, 3, 5).node("Shape", "x", "s").node("ReduceProd", "s", "p",
                "keepdims", 1).node("ConstantOfShape", "p", "y"));
        check("[13]", TestModel.of(13).input("x", F, 9, 3).node("Shape", "x", "s").integers("zero", 0).floats("f", 1.5f)
                .node("Gather", "s,zero", "n").node("Cast", "n", "nf", "to", 1).node("Mul", "nf,f", "m")
                .node("Floor", "m", "fl").node("Cast", "fl", "c", "to", 7).node("ConstantOfShape", "c", "y"));
        check("[N, 3, 6]", matrix(13).node("Shape", "x", "s").integers("three", 3).node("Split", "s", "a,b")
                .node("Concat", "a,three,b", "t", "axis", 0).node("ConstantOfShape", "t", "y"));
        check("[5]", TestModel.of(13).input("x", F, 5, 3).node("Shape", "x", "s").integers("four", 4)
                .node("Gather", "s,zero", "n").integers("zero", 0).node("Max", "n,four", "m")
                .node("ConstantOfShape", "m", "y"));
        check("[1]", TestModel.of(13).integers("a", -7).integers("b", 2).node("Mod", "a,b", "m")
                .node("ConstantOfShape", "m", "y"));
        check("[3]", TestModel.of(13).integers("a", -7).integers("b", -2).node("Div", "a,b", "m")
                .node("ConstantOfShape", "m", "y"));
        check("[y[0], y[1]]", TestModel.of(13).input("s", I, 2).node("ConstantOfShape", "s", "y"));
    }
}
