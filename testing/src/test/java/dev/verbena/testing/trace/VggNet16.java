package dev.verbena.testing.trace;

/** VGGNet-16 (Simonyan and Zisserman, 2015, configuration D). The table's 512.32 MB are those for 10 classes. */
final class VggNet16 implements Model {
    private static final int CLASSES = 10;
    /** Channels of the convolutions between two poolings. */
    private static final int[][] BLOCKS = {{64, 64}, {128, 128}, {256, 256, 256}, {512, 512, 512}, {512, 512, 512}};

    @Override
    public void forward(Tape tape) {
        Image image = Image.input(tape, 224);
        for (int block = 0; block < BLOCKS.length; block++) {
            for (int layer = 0; layer < BLOCKS[block].length; layer++) {
                image = image.convolution("conv" + (block + 1) + "." + (layer + 1), BLOCKS[block][layer], 3, 1, true);
            }
            image = image.maxPool(2, 2);
        }
        Value hidden = Model.dropout(tape, Model.dense(tape, "fc6", image.value(), image.elementCount(), 4096));
        hidden = Model.dropout(tape, Model.dense(tape, "fc7", hidden, 4096, 4096));
        tape.loss(Model.dense(tape, "fc8", hidden, 4096, CLASSES));
    }
}
