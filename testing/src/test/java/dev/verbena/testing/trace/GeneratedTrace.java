package dev.verbena.testing.trace;

import java.nio.file.Path;

/** How the {@link ShippedTrace shipped traces} came about; a test compares, and writes them with -Dverbena.writeTraces=true. */
record GeneratedTrace(Trace trace, String comment) {
    private static final long SEED = 2019;
    /** The first iteration of an allocator differs from the later ones; the files stay below 200 KiB. */
    private static final int ITERATIONS = 3;
    private static final int VARIABLE_ITERATIONS = 12;
    private static final int LANGUAGE_ITERATIONS = 40;
    private static final String MODEL = ", training steps: mini-batch=" + Model.BATCH + " floats of 32 bits, SGD;"
            + " EuroSys'19 Table 2";

    static GeneratedTrace of(ShippedTrace which) {
        return switch (which) {
            case ALEXNET -> model(new AlexNet(), "AlexNet (alexnet_v2, 10 classes)");
            case INCEPTION_V3 -> model(new InceptionV3(), "Inception-v3 (auxiliary classifier, 10 classes)");
            case VGGNET_16 -> model(new VggNet16(), "VGGNet-16 (10 classes)");
            case LSTM -> model(new Lstm(), "LSTM (hidden=1024 steps=80 input=1024 classes=1000)");
            case GRU -> model(new Gru(), "GRU (hidden=1024 steps=80 input=1024 classes=1000)");
            case FCN_5 -> model(new Fcn5(), "FCN-5 (784, 4096, 4096, 4096, 4096, 10)");
            case LSTM_VARIABLE -> new GeneratedTrace(Tape.train(new LstmVariable(SEED), VARIABLE_ITERATIONS),
                    "LSTM of hidden=512 with sequences of 5 to 45 steps, seed=" + SEED);
            case LSTM_LANGUAGE -> new GeneratedTrace(LstmLanguage.of(SEED, LANGUAGE_ITERATIONS),
                    "LSTM of hidden=256 and words=1300 with sequences of 10 to 120 steps, seed=" + SEED);
            case KEY_VALUE_CACHE -> new GeneratedTrace(KeyValueCache.of(SEED),
                    "Keys and values of sequences with random prompts and lifetimes, blocks of 16 tokens, seed="
                            + SEED);
            case PRODUCER_CONSUMER -> new GeneratedTrace(ProducerConsumer.of(SEED),
                    "Thread 0 prepares mini-batches, thread 1 uses and frees them, seed=" + SEED);
        };
    }

    String text() {
        return TraceText.print(trace, comment);
    }

    static Path file(ShippedTrace which) {
        return Path.of(System.getProperty("verbena.home"), "testing/src/main/resources/dev/verbena/testing/trace",
                which.fileName());
    }

    private static GeneratedTrace model(Model model, String name) {
        return new GeneratedTrace(Tape.train(model, ITERATIONS), name + MODEL);
    }
}
