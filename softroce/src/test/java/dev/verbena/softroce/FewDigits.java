package dev.verbena.softroce;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Some images of noise with their labels, as IDX files: a guest that draws the program's own thousands takes longer than it trains. */
final class FewDigits {
    private static final int COUNT = 400;
    private static final int SIDE = 28;
    private static final int IMAGES = 0x803;
    private static final int LABELS = 0x801;

    private FewDigits() {}

    static void write(Path folder) throws IOException {
        Random random = new Random(3);
        byte[] pixels = new byte[COUNT * SIDE * SIDE];
        random.nextBytes(pixels);
        Files.write(folder.resolve("train-images-idx3-ubyte"), ByteBuffer.allocate(16 + pixels.length).putInt(IMAGES)
                .putInt(COUNT).putInt(SIDE).putInt(SIDE).put(pixels).array());
        ByteBuffer labels = ByteBuffer.allocate(8 + COUNT).putInt(LABELS).putInt(COUNT);
        for (int i = 0; i < COUNT; i++) {
            labels.put((byte) random.nextInt(10));
        }
        Files.write(folder.resolve("train-labels-idx1-ubyte"), labels.array());
    }
}
