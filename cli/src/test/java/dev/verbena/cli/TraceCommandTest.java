package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.fasterxml.jackson.jr.ob.JSON;

class TraceCommandTest {
    /** That of docs/guide/onnx.md: Flatten and NonZero and Softmax of it; the batch is N. */
    private static final String MODEL = "CAg6pgESBHRlc3RaIAoFaW1hZ2USFwoVCAESEQoDEgFOCgIIAwoCCAgKAggICiIiB0ZsYXR0ZW46AAoF"
            + "aW1hZ2USBGZsYXQaCGZsYXR0ZW4wCiIiB05vblplcm86AAoEZmxhdBIFd2hlcmUaCG5vbnplcm8xCiIiB1NvZnRtYXg6AAoEZmxhdBIF"
            + "Y2xhc3MaCHNvZnRtYXgyYgcKBXdoZXJlYgcKBWNsYXNzQgQKABAR";

    @TempDir
    private Path folder;
    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = Files.write(folder.resolve("small.onnx"), Base64.getDecoder().decode(MODEL));
    }

    @Test
    void aBoundBatchMakesStatic() throws Exception {
        Path json = folder.resolve("out.json");
        try (CommandRun run = trace("--batch=32", "--rule=Flatten=0", "--rule=NonZero=1", "--rule=Softmax=1",
                "--json=" + json)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals("", run.errors());
            assertTrue(run.output().startsWith(
                    "small.onnx: 3 nodes in 2 parts; transfers in each run: 1, of 24,576 bytes\n"), run::output);
            assertTrue(
                    run.output().contains("'flat' FLOAT32 [32, 192] of node 'flatten0' (Flatten): its shape is known "
                            + "before the run: [32, 192]"),
                    run::output);
        }
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(json));
        assertEquals("[{tensor=flat, elementType=FLOAT32, shape=[32, 192], byteSize=24576, producer=node 'flatten0' "
                + "(Flatten), from=0, to=[1], protocol=static, reason=its shape is known before the run: [32, 192]}]",
                report.get("crossings").toString());
        assertEquals(24576, report.get("sentBytes"));
        Map<?, ?> last = (Map<?, ?>) ((List<?>) report.get("parts")).get(1);
        assertEquals(List.of("node 'nonzero1' (NonZero)", "node 'softmax2' (Softmax)"), last.get("nodes"));
        // The tensor that it receives and what Softmax makes of it; how much NonZero makes nobody knows.
        assertEquals(2 * 24576, last.get("peakBytes"));
        assertEquals(1, last.get("unsizedTensors"));
        assertEquals(List.of("where", "class"), last.get("results"));
    }

    @Test
    void anOpenBatchIsNamed() throws Exception {
        try (CommandRun run = trace("--rule=Flatten=0", "--rule=NonZero=1", "--rule=Softmax=1")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertTrue(run.output().contains("bytes and what is not known before it"), run::output);
            assertTrue(run.output()
                    .contains("0->1       dynamic                ?  'flat' FLOAT32 [N, 192] of node 'flatten0' "
                            + "(Flatten): the model's inputs decide N"),
                    run::output);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"--parts=0 | --parts=0 is not possible; give 1 to 1000",
            "--parts=4 | a graph of 3 nodes cannot be divided into 4 parts", "--batch=0 | give 1 or more",
            "--symbol=M=3 | have no such dimension; give one of N", "--symbol=N=-1 | give 0 or more",
            "--rule=Conv=0 | no node of", "--rule=Softmax=5 | parts are 0 to 1", "--rule=Flatten=1 | part 1 or later",
            "--json=/proc/x | --json=/proc/x cannot be written", "--parts=x | --parts", "--cut=1 | --cut"})
    void whatCannotBeIsRefused(String option, String named) throws Exception {
        assertRefused(named, option.equals("--rule=Flatten=1")
                ? trace("--rule=Flatten=1", "--rule=NonZero=0")
                : trace(option));
    }

    @Test
    void filesThatAreNoModelsAreRefused() throws Exception {
        assertRefused("there is no file", CommandRun.start("trace", folder.resolve("none.onnx").toString()));
        assertRefused("is no file", CommandRun.start("trace", folder.toString()));
        Path broken = Files.writeString(folder.resolve("broken.onnx"), "no model");
        assertRefused("broken.onnx is no ONNX model that can be read: ", CommandRun.start("trace", broken.toString()));
        assertRefused("MODEL.onnx", CommandRun.start("trace"));
    }

    private CommandRun trace(String... options) {
        List<String> arguments = new ArrayList<>(List.of("trace", model.toString()));
        arguments.addAll(Stream.of(options).toList());
        return CommandRun.start(arguments.toArray(String[]::new));
    }

    private static void assertRefused(String named, CommandRun started) throws Exception {
        try (CommandRun run = started) {
            assertEquals(ExitStatus.BAD_INPUT, run.await(), run::errors);
            assertEquals(1, run.errors().lines().count(), run::errors);
            assertTrue(run.errors().startsWith("verbena: ") && run.errors().contains(named), run::errors);
            assertEquals("", run.output());
        }
    }
}
