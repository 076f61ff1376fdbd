package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameters;

class DataFactsTest {
    @Test
    void saysOfDataWhatAModelAsks(@TempDir Path directory) throws Exception {
        Dataset digits = Dataset.synthetic(1);
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        assertEquals("1x28x28,classes=10,train=5000,test=1000", digits.facts().toString());
        assertEquals("text,classes=" + text.vocabularySize() + ",train=" + text.trainCount() + ",test="
                + text.testCount(), text.facts().toString());
        for (TrainingData data : new TrainingData[]{digits, text}) {
            DataFacts read = DataFacts.parse(data.facts().toString());
            assertEquals(data.facts(), read);
            Model model = Model.named(read.isText() ? "gru" : "cnn");
            assertEquals(Parameters.of(model, data), Parameters.of(model, read));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1x28x28", "28x28,classes=10,train=5,test=1", "text,classes=0,train=5,test=1",
            "1x28x0,classes=10,train=5,test=1", "1x28x28,classes=10,train=0,test=1",
            "1x28x28,classes=10,train=99999999999,test=1", "1x28x28,classes=10,train=5,test=1,"})
    void whatIsNoneIsRefused(String text) {
        String message = assertThrows(IllegalArgumentException.class, () -> DataFacts.parse(text)).getMessage();
        assertTrue(message.contains("facts of"), message);
    }

    @Test
    void nobodyLearnsFromThem() {
        DataFacts facts = Dataset.synthetic(1).facts();
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 1, 8, 1, .4f, false);
        assertEquals(
                "of the data only the facts are here: 1x28x28,classes=10,train=5000,test=1000; give a worker the data",
                assertThrows(IllegalArgumentException.class, () -> Training.local(options, facts, (_, _, _) -> {}))
                        .getMessage());
    }
}
