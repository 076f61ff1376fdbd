package dev.verbena.training.data;

import static dev.verbena.training.data.IdxFiles.assertDefect;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class IdxFileTest {
    @TempDir
    Path directory;

    @Test
    void readsDimensionsAndData() {
        IdxFiles.write(directory, "file", IdxFiles.images(3, 2, 4));
        IdxFile file = IdxFile.read(directory.resolve("file"), IdxFile.Content.IMAGES);
        assertArrayEquals(new int[]{3, 2, 4}, file.dimensions());
        assertEquals(24, file.data().length);
        assertEquals(2, file.data()[16]);
    }

    static Stream<Arguments> defects() {
        byte[] images = IdxFiles.images(3, 2, 4);
        byte[] broken = IdxFiles.gzipped(images);
        broken[broken.length - 6] ^= 1;
        return Stream.of(
                Arguments.of(new byte[0], "is empty; expected IDX images"),
                Arguments.of(IdxFiles.gzipped(new byte[0]), "is empty; expected IDX images"),
                Arguments.of(Arrays.copyOf(images, 2), "the header of IDX images is 16 bytes, the file has 2"),
                Arguments.of(Arrays.copyOf(images, 15), "the header of IDX images is 16 bytes, the file has 15"),
                Arguments.of(Arrays.copyOf(images, 39), "expected 40 bytes for 3x2x4 images, has 39"),
                Arguments.of(Arrays.copyOf(images, 16), "expected 40 bytes for 3x2x4 images, has 16"),
                Arguments.of(Arrays.copyOf(images, 41), "has trailing bytes: expected 40 bytes for 3x2x4 images"),
                Arguments.of(IdxFiles.gzipped(Arrays.copyOf(images, 30)), "expected 40 bytes for 3x2x4 images, has 30"),
                Arguments.of(IdxFiles.labels(1, 2), "is mislabelled: it holds labels, expected images"),
                Arguments.of(IdxFiles.idx(0xD03, 4, 1, 1, 1), "is not IDX images: magic 0x00000d03, expected images"),
                Arguments.of("P5 28 28 255".getBytes(), "is not IDX images: magic 0x50352032"),
                Arguments.of(IdxFiles.idx(0x803, 0, 0, 28, 28), "holds no images: its header says 0x28x28"),
                Arguments.of(IdxFiles.idx(0x803, 0, 5, 0, 28), "holds no images: its header says 5x0x28"),
                Arguments.of(IdxFiles.idx(0x803, 9, -1, -1, -1),
                        "has absurd dimensions: its header says 4294967295x4294967295x4294967295"),
                Arguments.of(IdxFiles.idx(0x803, 9, 1 << 24, 1 << 24, 1 << 24), "has absurd dimensions"),
                Arguments.of(IdxFiles.idx(0x803, 9, 2_147_483_639, 1, 1),
                        "is too large for this JVM: 2147483639 bytes"),
                Arguments.of(Arrays.copyOf(IdxFiles.gzipped(images), 25), "is a truncated gzip file"),
                Arguments.of(broken, "is a broken gzip file"));
    }

    @ParameterizedTest
    @MethodSource("defects")
    void saysWhatIsWrongInOneLine(byte[] content, String message) {
        Path file = directory.resolve("some-images");
        IdxFiles.write(directory, "some-images", content);
        assertDefect(file.toString(), () -> IdxFile.read(file, IdxFile.Content.IMAGES));
        assertDefect(message, () -> IdxFile.read(file, IdxFile.Content.IMAGES));
    }

    @Test
    void saysThatImagesAreNotLabels() {
        IdxFiles.write(directory, "some-labels", IdxFiles.images(3, 2, 4));
        assertDefect("is mislabelled: it holds images, expected labels with magic 0x00000801",
                () -> IdxFile.read(directory.resolve("some-labels"), IdxFile.Content.LABELS));
    }

    @Test
    void saysThatAFileIsNotThere() {
        assertDefect("gone does not exist", () -> IdxFile.read(directory.resolve("gone"), IdxFile.Content.LABELS));
    }
}
