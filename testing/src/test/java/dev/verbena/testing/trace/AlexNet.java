package dev.verbena.testing.trace;

/**
 * AlexNet. There are several; the table's 176.42 MB are those of TensorFlow-Slim's {@code alexnet_v2} (Krizhevsky 2014, one tower, no
 * local response normalization) for 10 classes.
 */
final class AlexNet implements Model {
    private static final int CLASSES = 10;

    @Override
    public void forward(Tape tape) {
        Image image = Image.input(tape, 224);
        image = image.convolution("conv1", 64, 11, 4, false).maxPool(3, 2);
        image = image.convolution("conv2", 192, 5, 1, true).maxPool(3, 2);
        image = image.convolution("conv3", 384, 3, 1, true);
        image = image.convolution("conv4", 384, 3, 1, true);
        image = image.convolution("conv5", 256, 3, 1, true).maxPool(3, 2);
        Value hidden = Model.dropout(tape, Model.dense(tape, "fc6", image.value(), image.elementCount(), 4096));
        hidden = Model.dropout(tape, Model.dense(tape, "fc7", hidden, 4096, 4096));
        tape.loss(Model.dense(tape, "fc8", hidden, 4096, CLASSES));
    }
}
