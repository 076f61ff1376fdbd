package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

import dev.verbena.training.data.SequenceCutter;
import dev.verbena.training.data.SequenceSet;

class TextCorpusTest {
    private static final TextOptions LINES = TextOptions.defaults();

    @TempDir
    Path directory;

    @Test
    void charactersOfTheTrainingPartAreTheVocabularyInOrder() throws IOException {
        TextCorpus corpus = load("bca\n\uD83C\uDF3Fa\nzq\n", LINES);
        assertEquals(2, corpus.trainCount());
        assertEquals(1, corpus.testCount());
        assertEquals(6, corpus.vocabularySize());
        assertArrayEquals(new int[]{1, 2, 3, 4, 5, 0, 0}, corpus.ids("\nabc\uD83C\uDF3Fzq"));
        assertEquals("a\uFFFD\uD83C\uDF3F", corpus.text(2, TextCorpus.UNKNOWN, 5));
        assertEquals(List.of("bca\n", "\uD83C\uDF3Fa\n"), texts(corpus, corpus.train()));
        assertEquals(List.of("\uFFFD\uFFFD\n"), texts(corpus, corpus.heldOut()));
    }

    @Test
    void theMostFrequentCharactersAreKeptWhereThereAreTooMany() throws IOException {
        TextCorpus corpus = load("aabbbcd\naabb\n--\n", new TextOptions(TextOptions.Unit.LINE, 4, 1, 99));
        assertEquals(4, corpus.vocabularySize());
        // Of line feed (2), c (1) and d (1), one more has a place beside a and b.
        assertArrayEquals(new int[]{1, 2, 3, 0, 0}, corpus.ids("\nabcd"));
    }

    @Test
    void aByteOrderMarkIsNoCharacter() throws IOException {
        assertEquals(List.of("ab\n"), texts(load("\uFEFFab\nab\n", LINES), 0));
    }

    @Test
    void sentencesEndBehindTheirWhiteSpace() throws IOException {
        TextOptions sentences = new TextOptions(TextOptions.Unit.SENTENCE, 99, 1, 99);
        TextCorpus corpus = load("Ab 1.5 c?!  De\nf.\n\nG. H", sentences);
        assertEquals(List.of("Ab 1.5 c?!  ", "De\nf.\n\n"), texts(corpus, corpus.train()));
        // Its last, of one character, predicts nothing.
        assertEquals(List.of("\uFFFD. "), texts(corpus, corpus.heldOut()));
    }

    @Test
    void shortOnesAreLeftOutAndLongOnesCut() throws IOException {
        TextCorpus corpus = load("abcdefgh\na\n\nab\n", new TextOptions(TextOptions.Unit.LINE, 99, 2, 3));
        assertEquals(List.of("abcd", "defg", "gh\n"), texts(corpus, corpus.train()));
        assertEquals(List.of("ab\n"), texts(corpus, corpus.heldOut()));
    }

    /** Each character of each unit that is long enough is predicted once, but the first. */
    @Property(tries = 100)
    void everyCharacterIsPredictedOnce(@ForAll @IntRange(min = 1, max = 9) int lengthMax, @ForAll List<Byte> bytes) {
        int[] text = bytes.stream().mapToInt(each -> each % 4 == 0 ? '\n' : 'a' + (each & 7)).toArray();
        SequenceSet set = SequenceCutter.cut(text, new TextOptions(TextOptions.Unit.LINE, 9, 1, lengthMax));
        int[] predicted = new int[text.length];
        for (int i = 0; i < set.count(); i++) {
            assertTrue(set.length(i) >= 1 && set.length(i) <= lengthMax);
            for (int j = 1; j <= set.length(i); j++) {
                predicted[set.start(i) + j]++;
            }
        }
        for (int i = 0; i < text.length; i++) {
            assertEquals(i == 0 || text[i - 1] == '\n' ? 0 : 1, predicted[i], "character " + i);
        }
    }

    @Test
    void saysWhatIsWrongWithTheFile() throws IOException {
        assertDefect("no/such/text does not exist; expected a text in UTF-8", Path.of("no/such/text"));
        assertDefect(directory + " is not a file; expected a text in UTF-8", directory);
        Path file = directory.resolve("text");
        Files.write(file, new byte[0]);
        assertDefect(file + " is empty; expected a text in UTF-8", file);
        Files.write(file, new byte[]{'a', '\n', 'b', (byte) 0xE4, 'c'});
        assertDefect(file + " is not UTF-8: byte 3, in line 2, is 0xe4;"
                + " convert it, for example by iconv -f latin1 -t utf-8", file);
        // Cut off within a character.
        Files.write(file, Arrays.copyOf("ab\u20AC".getBytes(StandardCharsets.UTF_8), 4));
        assertDefect(file + " is not UTF-8: byte 2, in line 1, is 0xe2;"
                + " convert it, for example by iconv -f latin1 -t utf-8", file);
        Files.writeString(file, "only one line\n");
        assertDefect(
                file + " is too short: it has 1 of the 2 sequences (LINE) of at least 2 characters that are needed,"
                        + " one to train with and one held out",
                file);
    }

    @Test
    void refusesWhatItCannotHold() throws IOException {
        Path file = directory.resolve("text");
        // A hole: it takes no room.
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            large.setLength(1L << 31);
        }
        assertDefect(file + " has 2147483648 bytes; at most 2147483639 can be read, train with a part", file);
    }

    @Test
    void optionsThatMeanNothingAreRefused() {
        assertEquals("vocabularyMax=1; at least 2, one character and one for all others",
                assertThrows(IllegalArgumentException.class, () -> new TextOptions(TextOptions.Unit.LINE, 1, 1, 1))
                        .getMessage());
        assertEquals("lengthMin=3 and lengthMax=2; expected 1 <= lengthMin <= lengthMax",
                assertThrows(IllegalArgumentException.class, () -> new TextOptions(TextOptions.Unit.LINE, 9, 3, 2))
                        .getMessage());
    }

    private void assertDefect(String message, Path file) {
        assertEquals(message, assertThrows(DataException.class, () -> TextCorpus.load(file, LINES)).getMessage());
    }

    private TextCorpus load(String text, TextOptions options) throws IOException {
        return TextCorpus.load(Files.writeString(directory.resolve("text"), text), options);
    }

    private static List<String> texts(TextCorpus corpus, int index) {
        return texts(corpus, corpus.train().part(index, index + 1));
    }

    private static List<String> texts(TextCorpus corpus, SequenceSet set) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < set.count(); i++) {
            texts.add(corpus.text(Arrays.copyOfRange(set.ids(), set.start(i), set.start(i) + set.length(i) + 1)));
        }
        return texts;
    }
}
