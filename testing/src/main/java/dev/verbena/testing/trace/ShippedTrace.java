package dev.verbena.testing.trace;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The traces that come with Verbena. The first six are training steps of the models in <em>Fast Distributed Deep Learning over RDMA</em>
 * (Xue et al., EuroSys 2019), Table 2, with mini-batches of 16: variables before the first mark, then iterations of forward pass,
 * backward pass and update, in 32-bit floats.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ShippedTrace {
    /** {@code alexnet_v2} of TensorFlow-Slim, for images of 224 x 224 and 10 classes: 16 variables of 176.42 MiB. */
    ALEXNET("alexnet"),
    /** With its auxiliary classifier, for images of 299 x 299 and 10 classes: 196 variables of 92.90 MiB. */
    INCEPTION_V3("inception-v3"),
    /** Configuration D of VGG, for images of 224 x 224 and 10 classes: 32 variables of 512.32 MiB. */
    VGGNET_16("vggnet-16"),
    /** 80 steps with a hidden vector of 1024, then a classifier of 1000 classes: 14 variables of 35.93 MiB. */
    LSTM("lstm"),
    /** 80 steps with a hidden vector of 1024, then a classifier of 1000 classes: 11 variables of 27.92 MiB. */
    GRU("gru"),
    /** Five dense layers with 4096 values between them, for digits of 28 x 28 and 10 classes: 10 variables of 204.47 MiB. */
    FCN_5("fcn-5"),
    /** An LSTM whose sequences have another length in each iteration. */
    LSTM_VARIABLE("lstm-variable"),
    /** A language model in the manner of a PyTorch program, over sequences of 10 to 120 steps. */
    LSTM_LANGUAGE("lstm-language"),
    /** The attention keys and values of sequences that come, grow block by block, and go at random. */
    KEY_VALUE_CACHE("key-value-cache"),
    /** One thread prepares mini-batches, another one uses and frees them. */
    PRODUCER_CONSUMER("producer-consumer");

    private final String fileName;

    ShippedTrace(String name) {
        fileName = name + ".trace";
    }

    /** Its file beside this class: {@link TraceText}. */
    public String fileName() {
        return fileName;
    }

    /** Reads it; each call anew. */
    public Trace read() {
        try (InputStream file = ShippedTrace.class.getResourceAsStream(fileName)) {
            if (file == null) {
                throw new FileNotFoundException(fileName + " is not beside " + ShippedTrace.class.getName()
                        + ": was the jar repackaged without its resources?");
            }
            return TraceText.parse(fileName, new InputStreamReader(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
