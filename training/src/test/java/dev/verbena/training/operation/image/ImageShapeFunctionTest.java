package dev.verbena.training.operation.image;

import static dev.verbena.memory.ElementType.FLOAT32;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.training.operation.Relu;
import dev.verbena.training.operation.ReluGradient;

class ImageShapeFunctionTest {
    private static final Dimension BATCH = Dimension.symbol("batch");
    private static final Window SAME = Window.of(3, 3).padded(1, 1, 1, 1);
    private static final Window HALF = Window.of(2, 2).strided(2, 2);
    private static final TensorType IMAGES = batch(3, 8, 10);
    private static final TensorType WEIGHT = TensorType.of(FLOAT32, 4, 3, 3, 3);
    private static final TensorType THREE = TensorType.of(FLOAT32, 3);

    @Test
    void aSymbolicBatchGoesThrough() {
        assertInfers(new Convolution(SAME), List.of(batch(4, 8, 10)), IMAGES, WEIGHT);
        assertInfers(new Convolution(Window.of(3, 3).strided(2, 2)), List.of(batch(4, 3, 4)), IMAGES, WEIGHT);
        assertInfers(new ConvolutionInputGradient(SAME, 8, 10), List.of(IMAGES), batch(4, 8, 10), WEIGHT);
        assertInfers(new ConvolutionWeightGradient(SAME), List.of(WEIGHT), IMAGES, batch(4, 8, 10));
        assertInfers(new ChannelBias(), List.of(IMAGES), IMAGES, THREE);
        assertInfers(new ChannelBiasGradient(), List.of(THREE), IMAGES);
        assertInfers(new Relu(), List.of(IMAGES), IMAGES);
        assertInfers(new ReluGradient(), List.of(IMAGES), IMAGES, IMAGES);
        assertInfers(new MaxPool(HALF), List.of(batch(3, 4, 5)), IMAGES);
        assertInfers(new MaxPoolGradient(HALF), List.of(IMAGES), batch(3, 4, 5), IMAGES, batch(3, 4, 5));
        assertInfers(new AveragePool(Window.of(8, 10), false), List.of(batch(3, 1, 1)), IMAGES);
        assertInfers(new AveragePoolGradient(HALF, false, 8, 10), List.of(IMAGES), batch(3, 4, 5));
        assertInfers(new ChannelConcat(), List.of(batch(8, 8, 10)), IMAGES, batch(5, 8, 10));
        assertInfers(new ChannelSlice(1, 2), List.of(batch(2, 8, 10)), IMAGES);
        assertInfers(new BatchNormalization(1e-3), List.of(IMAGES, THREE, THREE), IMAGES, THREE, THREE);
        assertInfers(new BatchNormalizationGradient(), List.of(IMAGES, THREE, THREE), IMAGES, IMAGES, THREE, THREE,
                THREE);
    }

    @Test
    void symbolicSizesStayFormulas() {
        Dimension height = Dimension.symbol("height");
        TensorType images = new TensorType(FLOAT32,
                SymbolicShape.of(BATCH, Dimension.of(3), height, Dimension.of(10)));
        assertInfers(new Convolution(SAME), List.of(new TensorType(FLOAT32,
                SymbolicShape.of(BATCH, Dimension.of(4), height, Dimension.of(10)))), images, WEIGHT);
        SymbolicShape halved = new MaxPool(HALF).infer(List.of(images)).getFirst().shape();
        for (long each = 2; each < 9; each++) {
            assertEquals(Dimension.of(each / 2), halved.bind(Map.of("height", each)).dimension(2));
        }
    }

    @Test
    void whatOneOperandLeavesOpenTheOtherTells() {
        Dimension unknown = Dimension.unknown("channels", "the run tells");
        TensorType open = new TensorType(FLOAT32,
                SymbolicShape.of(BATCH, unknown, Dimension.of(8), Dimension.of(10)));
        assertInfers(new ChannelBias(), List.of(IMAGES), open, THREE);
        assertInfers(new BatchNormalization(1), List.of(IMAGES, THREE, THREE), open, THREE, THREE);
        assertInfers(new ReluGradient(), List.of(IMAGES), open, IMAGES);
        assertInfers(new ChannelSlice(7, 2), List.of(batch(2, 8, 10)), open);
    }

    @Test
    void saysWhatDoesNotFit() {
        TensorType five = TensorType.of(FLOAT32, 5, 5, 5, 5);
        assertRefuses(new Convolution(SAME), "takes 2 inputs (x, weight), not 1", IMAGES);
        assertRefuses(new Convolution(SAME), "input 0 (x) is FLOAT32[3]; expected FLOAT32 of rank 4", THREE, WEIGHT);
        assertRefuses(new Convolution(SAME),
                "channels of x[batch, 3, 8, 10]=3 does not fit inputs of weight[5, 5, 5, 5]=5", IMAGES, five);
        assertRefuses(new Convolution(HALF), "height of weight[4, 3, 3, 3]=3 does not fit height of window=2", IMAGES,
                WEIGHT);
        assertRefuses(new Convolution(Window.of(3, 3)),
                "image height=2 with padding 0+0 has no room for a window of height=3", batch(3, 2, 10), WEIGHT);
        assertRefuses(new ConvolutionInputGradient(SAME, 8, 9),
                "dimension 3 of gradient=10 does not fit that of the convolution's output=9", batch(4, 8, 10), WEIGHT);
        assertRefuses(new ConvolutionInputGradient(SAME, 8, 10),
                "channels of gradient[batch, 3, 8, 10]=3 does not fit outputs of weight[4, 3, 3, 3]=4", IMAGES,
                WEIGHT);
        assertRefuses(new ConvolutionWeightGradient(HALF),
                "dimension 2 of gradient=8 does not fit that of the convolution's output=4", IMAGES, batch(4, 8, 5));
        assertRefuses(new ChannelBias(), "channels of x[batch, 3, 8, 10]=3 does not fit length of bias=2", IMAGES,
                TensorType.of(FLOAT32, 2));
        assertRefuses(new ReluGradient(), "dimension 1 of gradient=3 does not fit that of y=4", IMAGES,
                batch(4, 8, 10));
        assertRefuses(new MaxPool(Window.of(1, 12)),
                "image width=10 with padding 0+0 has no room for a window of width=12", IMAGES);
        assertRefuses(new MaxPoolGradient(HALF), "dimension 2 of gradient=4 does not fit that of y=8", batch(3, 4, 5),
                IMAGES, IMAGES);
        assertRefuses(new MaxPoolGradient(HALF), "dimension 2 of y=8 does not fit that of the pool's output=4",
                IMAGES, IMAGES, IMAGES);
        assertRefuses(new AveragePoolGradient(HALF, true, 8, 12),
                "dimension 3 of gradient=5 does not fit that of the pool's output=6", batch(3, 4, 5));
        assertRefuses(new ChannelConcat(), "takes at least one input (x)");
        assertRefuses(new ChannelConcat(), "dimension 3 of x 0=10 does not fit that of x 1=9", IMAGES,
                batch(5, 8, 9));
        assertRefuses(new ChannelSlice(2, 2), "channels from first=2 count=2 of x[batch, 3, 8, 10], which has 3",
                IMAGES);
        assertRefuses(new BatchNormalization(1), "channels of x[batch, 3, 8, 10]=3 does not fit length of shift=4",
                IMAGES, THREE, TensorType.of(FLOAT32, 4));
        assertRefuses(new BatchNormalizationGradient(),
                "channels of x[batch, 3, 8, 10]=3 does not fit length of inverse deviation=4", IMAGES, IMAGES, THREE,
                THREE, TensorType.of(FLOAT32, 4));
    }

    @Test
    void windowsThatAreNoneAreRefused() {
        assertMessage("window of height=0 width=1 strideY=1 strideX=1; each is at least 1", () -> Window.of(0, 1));
        assertMessage("window of height=2 width=2 strideY=1 strideX=0; each is at least 1",
                () -> Window.of(2, 2).strided(1, 0));
        assertMessage("padding top=0 bottom=2 of a window of height=2; each is from 0 to 1",
                () -> Window.of(2, 2).padded(0, 0, 2, 0));
        assertMessage("padding left=-1 right=0 of a window of width=2; each is from 0 to 1",
                () -> Window.of(2, 2).padded(0, -1, 0, 0));
        assertMessage("channels from first=-1 count=2; both are 0 or more", () -> new ChannelSlice(-1, 2));
        assertMessage("epsilon=0.0; it is positive, for a variance may be 0", () -> new BatchNormalization(0));
        assertMessage("image height=0 with padding 1+1 has no room for a window of height=3",
                () -> new MaxPool(SAME).infer(List.of(batch(3, 0, 10))));
    }

    /** None takes the bits of another type for its own. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOAT32")
    void everyOtherTypeIsRefusedByName(ElementType type) {
        TensorType images = new TensorType(type, IMAGES.shape());
        for (Operation operation : List.of(new Convolution(SAME), new ConvolutionInputGradient(SAME, 8, 10),
                new ConvolutionWeightGradient(SAME), new ReluGradient(), new ChannelBias())) {
            assertRefusesType(operation, type, images, IMAGES);
        }
        for (Operation operation : List.of(new Relu(), new MaxPool(SAME), new AveragePool(SAME, true),
                new AveragePoolGradient(SAME, true, 8, 10), new ChannelConcat(), new ChannelSlice(0, 1),
                new ChannelBiasGradient())) {
            assertRefusesType(operation, type, images);
        }
        assertRefusesType(new MaxPoolGradient(SAME), type, images, IMAGES, IMAGES);
        assertRefusesType(new BatchNormalization(1), type, images, THREE, THREE);
        assertRefusesType(new BatchNormalizationGradient(), type, images, IMAGES, THREE, THREE, THREE);
    }

    private static void assertRefusesType(Operation operation, ElementType type, TensorType... inputs) {
        String message = assertThrows(IllegalArgumentException.class, () -> operation.infer(List.of(inputs)))
                .getMessage();
        assertEquals(0, message.indexOf("input 0 ("), message);
        assertEquals(true, message.contains(") is " + type + "[") && message.contains("expected FLOAT32"), message);
    }

    private static TensorType batch(long channels, long height, long width) {
        return new TensorType(FLOAT32, SymbolicShape.of(BATCH, Dimension.of(channels), Dimension.of(height),
                Dimension.of(width)));
    }

    private static void assertInfers(Operation operation, List<TensorType> outputs, TensorType... inputs) {
        assertEquals(outputs, operation.infer(List.of(inputs)));
    }

    private static void assertRefuses(Operation operation, String message, TensorType... inputs) {
        assertMessage(message, () -> operation.infer(List.of(inputs)));
    }

    private static void assertMessage(String message, Executable action) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, action).getMessage());
    }
}
