package dev.verbena.training;

import static dev.verbena.training.data.IdxFiles.assertDefect;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.data.IdxFiles;
import dev.verbena.training.data.ImageSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatasetTest {
    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"'-',''", "'-',.gz", "'.',''", "'.',.gz"})
    void readsATrainAndATestPair(String separator, String ending) {
        put("train-images" + separator + "idx3-ubyte" + ending, IdxFiles.images(3, 2, 4));
        put("train-labels" + separator + "idx1-ubyte" + ending, IdxFiles.labels(0, 1, 2));
        put("t10k-images" + separator + "idx3-ubyte" + ending, IdxFiles.images(2, 2, 4));
        put("t10k-labels" + separator + "idx1-ubyte" + ending, IdxFiles.labels(4, 1));

        Dataset data = Dataset.load(directory, 1);

        assertEquals(3, data.trainCount());
        assertEquals(2, data.testCount());
        assertEquals(8, data.featureCount());
        assertEquals(5, data.classCount());
        assertArrayEquals(new int[]{0, 1, 2}, labels(data.train()));
        assertArrayEquals(new int[]{4, 1}, labels(data.test()));
    }

    @Test
    void tellsGzipByContentNotByName() {
        IdxFiles.write(directory, "t10k-images-idx3-ubyte", IdxFiles.gzipped(IdxFiles.images(5, 1, 1)));
        IdxFiles.write(directory, "t10k-labels-idx1-ubyte.gz", IdxFiles.labels(0, 1, 0, 1, 0));
        assertEquals(4, Dataset.load(directory, 1).trainCount());
    }

    @Test
    void splitsOnePairBySeedWithoutLosingOrSharingAnImage() {
        int count = 100;
        put("t10k-images-idx3-ubyte", IdxFiles.images(count, 1, 1));
        put("t10k-labels-idx1-ubyte", IdxFiles.labels(IntStream.range(0, count).toArray()));

        Dataset data = Dataset.load(directory, 7);

        assertEquals(80, data.trainCount());
        assertEquals(20, data.testCount());
        int[] all = IntStream.concat(Arrays.stream(labels(data.train())), Arrays.stream(labels(data.test()))).sorted()
                .toArray();
        assertArrayEquals(IntStream.range(0, count).toArray(), all);
        assertArrayEquals(labels(data.train()), labels(Dataset.load(directory, 7).train()));
        assertFalse(Arrays.equals(labels(data.train()), labels(Dataset.load(directory, 8).train())));
    }

    @Test
    void gathersRowsInOrderAsNumbersFrom0To1() {
        byte[] pixels = {0, (byte) 255, 51, 102, (byte) 204, (byte) 153};
        ImageSet set = new ImageSet(pixels, new byte[]{3, 2, 1}, 2, new int[]{2, 0, 1});
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Tensor images = heap.allocate(ElementType.FLOAT32, Shape.of(2, 2));
            Tensor labels = heap.allocate(ElementType.INT32, Shape.of(2));
            set.gather(new int[]{9, 1, 0}, 1, images, labels);
            assertArrayEquals(new float[]{0, 1, .8f, .6f}, HeapOfTensors.floats(images));
            assertArrayEquals(new int[]{3, 1}, labels.memory().toArray(ValueLayout.JAVA_INT));
        }
    }

    @Test
    void saysWhatDirectoryIsMissingOrEmpty() {
        assertDefect("no/such/place does not exist", () -> Dataset.load(Path.of("no/such/place"), 1));
        assertDefect("holds no IDX files; expected train-images-idx3-ubyte", () -> Dataset.load(directory, 1));
        IdxFiles.write(directory, "plain", new byte[1]);
        assertDefect("plain is not a directory", () -> Dataset.load(directory.resolve("plain"), 1));
    }

    @Test
    void saysWhichHalfOfAPairIsMissing() {
        put("train-images-idx3-ubyte.gz", IdxFiles.images(3, 2, 4));
        assertDefect("train-images-idx3-ubyte.gz has no labels beside it; expected train-labels-idx1-ubyte",
                () -> Dataset.load(directory, 1));
    }

    @Test
    void saysThatTrainAndTestDifferInSize() {
        put("train-images-idx3-ubyte", IdxFiles.images(2, 2, 4));
        put("train-labels-idx1-ubyte", IdxFiles.labels(0, 1));
        put("t10k-images-idx3-ubyte", IdxFiles.images(1, 4, 2));
        put("t10k-labels-idx1-ubyte", IdxFiles.labels(1));
        assertDefect("t10k-images-idx3-ubyte has images of 4x2 but", () -> Dataset.load(directory, 1));
    }

    @Test
    void saysThatImagesAndLabelsDifferInNumber() {
        put("t10k-images-idx3-ubyte", IdxFiles.images(3, 2, 4));
        put("t10k-labels-idx1-ubyte", IdxFiles.labels(0, 1));
        assertDefect("has 3 images but", () -> Dataset.load(directory, 1));
    }

    @Test
    void cannotSplitASingleImage() {
        put("t10k-images-idx3-ubyte", IdxFiles.images(1, 2, 4));
        put("t10k-labels-idx1-ubyte", IdxFiles.labels(0));
        assertDefect("has 1 image; expected at least 2 to split", () -> Dataset.load(directory, 1));
    }

    private static int[] labels(ImageSet set) {
        return IntStream.range(0, set.count()).map(set::label).toArray();
    }

    private void put(String name, byte[] content) {
        IdxFiles.write(directory, name, name.endsWith(".gz") ? IdxFiles.gzipped(content) : content);
    }
}
