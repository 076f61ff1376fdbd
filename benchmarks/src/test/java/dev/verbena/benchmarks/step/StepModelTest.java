package dev.verbena.benchmarks.step;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models have the bytes and the variables of EuroSys'19, table 2. */
class StepModelTest {
    @ParameterizedTest
    @CsvSource({"alexnet, 176.42, 16", "inception3, 92.90, 196", "vgg16, 512.32, 32", "lstm, 35.93, 14",
            "gru, 27.92, 11",
            "fcn5, 204.47, 10"})
    void modelsAreThoseOfTheTable(String title, double mebibytes, int variables) {
        StepModel model = StepModel.named(title);
        assertEquals(mebibytes, StepFigures.mebibytes(new StepCase(model, 1)), .005);
        assertEquals(variables, model.variables().size());
    }
}
