package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameter;
import dev.verbena.training.model.Parameters;

class ModelTest {
    private static final double MEBIBYTE = 1 << 20;

    /** EuroSys'19, table 2: of images of 28 x 28 in ten classes. */
    @Test
    void fcn5HasAsManyVariablesAndBytesAsThePaperSays() {
        Dataset digits = Dataset.synthetic(1);
        assertEquals(784, digits.featureCount());
        assertEquals(10, digits.classCount());
        assertHas(10, 204.47, Model.FCN5, digits);
    }

    /** Likewise; nothing is drawn, and no variable made. */
    @ParameterizedTest
    @CsvSource({"alexnet, 16, 176.42, 224", "vgg16, 32, 512.32, 224", "inception3, 196, 92.90, 299"})
    void modelsOfPhotographsHaveAsManyVariablesAndBytesAsThePaperSays(String title, int variables, double mebibytes,
            int side) {
        Model model = Model.named(title);
        Dataset images = model.synthetic(1);
        assertEquals(new ImageShape(3, side, side), images.imageShape());
        assertEquals(10, images.classCount());
        assertHas(variables, mebibytes, model, images);
    }

    @Test
    void modelsOfPhotographsSayWhatTheyTake() {
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> Parameters.of(Model.VGG16, Dataset.synthetic(1)));
        assertEquals("model=vgg16 takes images of 3x224x224, and these have 1x28x28; without data it draws its own",
                refused.getMessage());
    }

    private static void assertHas(int variables, double mebibytes, Model model, Dataset images) {
        List<Parameter> parameters = Parameters.of(model, images).all();
        assertEquals(variables, parameters.size());
        long numbers = parameters.stream().mapToLong(parameter -> parameter.type().shape().toShape().elementCount())
                .sum();
        assertEquals(mebibytes, numbers * Float.BYTES / MEBIBYTE, .005);
    }
}
