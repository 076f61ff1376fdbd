package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;

import dev.verbena.training.data.ImageSet;
import dev.verbena.training.model.Model;
import org.junit.jupiter.api.Test;

/** The smallest of the paper's models of photographs, as large as it is. */
class PhotographTest {
    @Test
    void alexNetLearnsTwoImagesThatItSeesEachTime() {
        Dataset all = Model.ALEXNET.synthetic(1);
        Dataset two = Dataset.of(part(all.train(), 0, 1), part(all.test(), 0), all.imageShape());
        TrainingOptions options = new TrainingOptions("alexnet", 1, 1, 4, 2, 1,
                TrainingDefaults.learningRate("alexnet", Optimizer.SGD), false);
        double[] losses = Training.local(options, two, (_, _, _) -> {}).lossCurve();
        assertEquals(4, losses.length);
        assertTrue(losses[3] < .5 * losses[0], Arrays.toString(losses));
    }

    private static ImageSet part(ImageSet set, int... members) {
        return new ImageSet(set.source(), set.labels(), set.featureCount(), members);
    }
}
