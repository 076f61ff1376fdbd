package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.training.data.ImageSet;

/** What is held out, measured while the training goes on. */
@Timeout(60)
class ValidationTest {
    private static final TrainingListener QUIET = (_, _, _) -> {};
    /** Five iterations of 64 see them once. */
    private static final Dataset FEW = few();

    private static Dataset few() {
        Dataset all = Dataset.synthetic(1);
        ImageSet train = all.train();
        return Dataset.of(new ImageSet(train.source(), train.labels(), train.featureCount(),
                IntStream.range(0, 320).toArray()), all.test(), all.imageShape());
    }

    private static TrainingOptions options(int iterations, int validateEvery) {
        return new TrainingOptions("mlp", 2, 2, iterations, 32, 1, .4f, false).withValidation(validateEvery);
    }

    @Test
    void isThatOfATrainingThatEndsThere() throws Exception {
        TrainingResult whole = Cluster.train(options(25, 2), FEW).get("worker:0");
        assertEquals(List.of(10, 20, 25), whole.validations().stream().map(Validation::iteration).toList());
        assertEquals(whole.testAccuracy(), whole.validations().getLast().accuracy());
        TrainingResult first = Cluster.train(options(10, 0), FEW).get("worker:0");
        assertEquals(List.of(10), first.validations().stream().map(Validation::iteration).toList());
        assertEquals(first.testAccuracy(), whole.validations().getFirst().accuracy());
        assertTrue(first.testAccuracy() != whole.testAccuracy(), "the model has learned nothing between");
        // Measuring changes nothing.
        assertArrayEquals(Cluster.train(options(25, 0), FEW).get("worker:0").lossCurve(), whole.lossCurve());
    }

    @Test
    void othersMeasureNothing() throws Exception {
        Cluster.train(options(10, 1), FEW).forEach((task, result) -> assertEquals(
                task.equals("worker:0") ? 2 : 0, result.validations().size(), task));
    }

    @Test
    void inOneProcessItIsTheSameToTheLastBit(@TempDir Path directory) throws Exception {
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        int perEpoch = Training.iterationsPerEpoch(new TrainingOptions("gru", 1, 1, 1, 90, 1, .01f, false), text);
        TrainingOptions options = new TrainingOptions("gru", 1, 1, 2 * perEpoch + 1, 90, 1, .01f, false)
                .withValidation(1);
        List<Validation> heard = new ArrayList<>();
        TrainingResult local = Training.local(options, text, new TrainingListener() {
            @Override
            public void onIteration(int iteration, double loss, double rate) {}

            @Override
            public void onValidation(Validation measured) {
                heard.add(measured);
            }
        });
        assertEquals(local.validations(), heard);
        assertEquals(List.of(perEpoch, 2 * perEpoch, 2 * perEpoch + 1),
                heard.stream().map(Validation::iteration).toList());
        assertTrue(heard.get(1).perplexity() < heard.get(0).perplexity(), heard::toString);
        assertEquals(local.testPerplexity(), heard.getLast().perplexity());
        assertEquals(heard, Cluster.train(options, text).get("worker:0").validations());
        assertEquals(local.lossCurve().length, local.times().iterations());
        assertArrayEquals(local.lossCurve(), Training.local(options.withValidation(0), text, QUIET).lossCurve());
    }
}
