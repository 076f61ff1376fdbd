package dev.verbena.benchmarks.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong arguments are named before anything is trained. */
class TrainingOrderTest {
    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown: use [--quick]", "--rounds, --rounds needs a value",
            "--rounds 0, --rounds=0 must be a whole number from 1 to 99", "--workers 65, --workers=65 must be",
            "--workers 1;x, --workers=1;x must be", "--models mlp;rnn, --models=mlp;rnn: 'mlp;rnn' is none of mlp",
            "--models lstm, --models=lstm: lstm learns from a text", "--text /no/such, --text=/no/such cannot be read",
            "--report /no/such/folder/x, --report=/no/such/folder/x cannot be written"})
    void wrongOptionsAreNamed(String arguments, String message) {
        String said = assertThrows(IllegalArgumentException.class, () -> new TrainingOrder(arguments.split(" ")))
                .getMessage();
        assertTrue(said.startsWith(message), said);
    }

    @Test
    void casesAreModelsByWorkers(@TempDir Path folder) throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "to be or not to be");
        TrainingOrder order = new TrainingOrder(
                new String[]{"--models", "fcn5,lstm", "--workers", "2,1", "--text", text.toString()});
        assertEquals(List.of(new TrainingCase("fcn5", 1), new TrainingCase("fcn5", 2), new TrainingCase("lstm", 1),
                new TrainingCase("lstm", 2)), order.cases());
        assertEquals(3, order.rounds());
        assertEquals(8, new TrainingOrder(new String[]{"--text", text.toString()}).cases().size());
        assertEquals(6, new TrainingOrder(new String[0]).cases().size(), "without a text");
        TrainingOrder quick = new TrainingOrder(new String[]{"--quick", "--rounds", "9"});
        assertEquals(List.of(new TrainingCase("mlp", 1), new TrainingCase("mlp", 2)), quick.cases());
        assertEquals(1, quick.rounds());
    }
}
