package dev.verbena.testing.trace;

/**
 * A mini-batch of images, or of feature maps, and the layers that make further ones of it.
 *
 * @param height of each, as width and channels
 */
record Image(Tape tape, Value value, int height, int width, int channels) {
    static Image input(Tape tape, int side) {
        return new Image(tape, tape.constant(Model.floats(Model.BATCH, side, side, 3)), side, side, 3);
    }

    /** Convolution and bias, ReLU in place. {@code isSame}: padded, so that only the stride makes it smaller. */
    Image convolution(String name, int outputs, int kernel, int stride, boolean isSame) {
        return convolve(name, outputs, kernel, kernel, stride, isSame, true);
    }

    /** Convolution without bias, batch normalization with an offset but no scale, ReLU in place. */
    Image normalized(String name, int outputs, int kernelHeight, int kernelWidth, int stride, boolean isSame) {
        Image raw = convolve(name, outputs, kernelHeight, kernelWidth, stride, isSame, false);
        Long perChannel = Model.floats(outputs);
        // Saved: the mini-batch's mean and inverse deviation. The moving averages are no variables that are trained, nor are they sent.
        Value normalized = tape.apply(Layer.of(raw.value.byteSize).saving(perChannel, perChannel)
                .with(tape.variable(name + ".beta", perChannel)), raw.value);
        return raw.of(normalized);
    }

    /** Keeps which element of each window was the largest, as a 32-bit integer. */
    Image maxPool(int window, int stride) {
        int high = (height - window) / stride + 1;
        int wide = (width - window) / stride + 1;
        long byteSize = Model.floats(Model.BATCH, high, wide, channels);
        return new Image(tape, tape.apply(Layer.of(byteSize).saving(byteSize), value), high, wide, channels);
    }

    /** A window of 3 by 3 around each element. */
    Image averagePool() {
        return of(tape.apply(Layer.of(value.byteSize), value));
    }

    Image averagePool(int window, int stride) {
        int side = (height - window) / stride + 1;
        return new Image(tape, tape.apply(Layer.of(Model.floats(Model.BATCH, side, side, channels)), value), side, side,
                channels);
    }

    /** The channels of all, one behind the other. */
    static Image concatenation(Image... parts) {
        int channels = 0;
        Value[] values = new Value[parts.length];
        for (int i = 0; i < parts.length; i++) {
            channels += parts[i].channels;
            values[i] = parts[i].value;
        }
        Image first = parts[0];
        Value value = first.tape.apply(
                Layer.of(Model.floats(Model.BATCH, first.height, first.width, channels)), values);
        return new Image(first.tape, value, first.height, first.width, channels);
    }

    /** Floats of one image. */
    long elementCount() {
        return (long) height * width * channels;
    }

    private Image of(Value other) {
        return new Image(tape, other, height, width, channels);
    }

    private Image convolve(String name, int outputs, int kernelHeight, int kernelWidth, int stride, boolean isSame,
            boolean hasBias) {
        int high = isSame ? (height + stride - 1) / stride : (height - kernelHeight) / stride + 1;
        int wide = isSame ? (width + stride - 1) / stride : (width - kernelWidth) / stride + 1;
        Value weight = tape.variable(name + ".weight", Model.floats(kernelHeight, kernelWidth, channels, outputs));
        Layer layer = Layer.of(Model.floats(Model.BATCH, high, wide, outputs));
        layer = hasBias ? layer.with(weight, tape.variable(name + ".bias", Model.floats(outputs))) : layer.with(weight);
        // As in Caffe: one image at a time is unfolded into columns; a 1 x 1 kernel's columns are the image itself.
        if (kernelHeight * kernelWidth > 1) {
            layer = layer.withWorkspace(Model.floats(kernelHeight, kernelWidth, channels, high, wide));
        }
        return new Image(tape, tape.apply(layer, value), high, wide, outputs);
    }
}
