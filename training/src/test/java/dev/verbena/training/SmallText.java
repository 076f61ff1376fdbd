package dev.verbena.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.training.data.SeededRandom;

/** A text that has something to learn: lines of different lengths, made of a few words. */
final class SmallText {
    private static final String[] WORDS = {"verbs", "write", "read", "memory", "queue", "pair", "send", "tensor"};

    private SmallText() {}

    static Path write(Path directory) throws IOException {
        SeededRandom random = new SeededRandom(7, SeededRandom.Purpose.SPLIT, 0);
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < 300; line++) {
            int words = 1 + (int) random.nextFloat(0, 6);
            for (int word = 0; word < words; word++) {
                text.append(word == 0 ? "" : " ").append(WORDS[(int) random.nextFloat(0, WORDS.length)]);
            }
            text.append('\n');
        }
        return Files.writeString(directory.resolve("small.txt"), text);
    }
}
