package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.fasterxml.jackson.jr.ob.JSON;

/** Parts as real processes over shared memory. */
class InferCommandTest {
    /** That of docs/guide/onnx.md: Flatten and NonZero and Softmax of it; the batch is N. */
    private static final String MODEL = "CAg6pgESBHRlc3RaIAoFaW1hZ2USFwoVCAESEQoDEgFOCgIIAwoCCAgKAggICiIiB0ZsYXR0ZW46AAoF"
            + "aW1hZ2USBGZsYXQaCGZsYXR0ZW4wCiIiB05vblplcm86AAoEZmxhdBIFd2hlcmUaCG5vbnplcm8xCiIiB1NvZnRtYXg6AAoEZmxhdBIF"
            + "Y2xhc3MaCHNvZnRtYXgyYgcKBXdoZXJlYgcKBWNsYXNzQgQKABAR";
    private static final Path LIGHT = Repository.root().resolve("../shared/data/onnx/light_bvlc_alexnet.onnx");

    @TempDir
    private Path folder;
    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = Files.write(folder.resolve("small.onnx"), Base64.getDecoder().decode(MODEL));
    }

    @Test
    void partsComputeWhatOneSessionDoesAndCountWhatIsCopied() throws Exception {
        Path json = folder.resolve("out.json");
        Map<String, Object> report;
        try (CommandRun run = infer(model, "--symbol=N=2", "--verify", "--iterations=3", "--json=" + json)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals("", run.errors());
            assertTrue(run.output().startsWith("small.onnx: 3 nodes in 2 parts, fabric shm, 3 inferences\n"),
                    run::output);
            assertTrue(run.output().endsWith("verified  3 inferences, bit for bit\n"), run::output);
            assertEquals(List.of(), run.awaitNoProcess(10));
            assertEquals(List.of(), run.sharedFiles());
        }
        report = JSON.std.mapFrom(Files.readString(json));
        assertEquals(3, report.get("verified"));
        List<?> parts = (List<?>) report.get("parts");
        assertEquals(2, parts.size());
        // 3 to compare, 1 to warm up, 3 one by one and 3 at a time; how much NonZero finds only the run tells.
        parts.forEach(part -> assertEquals(10, ((Map<?, ?>) part).get("inferences")));
        // Flatten's output and Softmax's: one process takes each. What NonZero finds is read.
        assertEquals(20, report.get("placed"));
        assertEquals(2, report.get("copiesFirst"));
        assertEquals(18, report.get("copiesLater"));
        for (String way : List.of("processes", "oneSession")) {
            assertTrue((Double) ((Map<?, ?>) report.get(way)).get("latencyMedianUs") > 0, report::toString);
        }
    }

    @Test
    void nothingIsCopiedOfALightModel() throws Exception {
        assumeTrue(Files.exists(LIGHT), () -> "no such file: " + LIGHT);
        Path json = folder.resolve("out.json");
        try (CommandRun run = infer(LIGHT, "--parts=3", "--verify", "--iterations=2", "--json=" + json)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertTrue(run.output().contains("\ncopies    0 in the first inference, 0 later\n"), run::output);
            assertEquals(List.of(), run.awaitNoProcess(10));
        }
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(json));
        assertEquals(2, report.get("verified"));
        assertEquals(0, report.get("copiesLater"));
    }

    @Test
    void outputsOfGivenInputsAreWrittenWhicheverFormTheyHave() throws Exception {
        int count = 2 * 3 * 8 * 8;
        ByteBuffer image = ByteBuffer.allocate(count * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        Random random = new Random(4);
        float[] pixels = new float[count];
        for (int i = 0; i < count; i++) {
            pixels[i] = i % 5 == 0 ? 0 : (float) random.nextGaussian();
            image.putFloat(pixels[i]);
        }
        Path array = writeArray("image.npy", "<f4", "2, 3, 8, 8", image.array());
        Path raw = Files.write(folder.resolve("image.raw"), image.array());
        Path arrays = folder.resolve("new/arrays");
        Path protos = folder.resolve("protos");
        Path json = folder.resolve("out.json");
        try (CommandRun run = infer(model, "--input=image=" + array, "--output=" + arrays, "--verify",
                "--json=" + json)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertTrue(run.output().contains("written   class: " + arrays.resolve("class.npy") + "\n"), run::output);
            assertTrue(run.output().endsWith("verified  1 inferences, bit for bit\n"), run::output);
        }
        try (CommandRun run = infer(model, "--input=image=" + raw, "--batch=2", "--output=" + protos,
                "--output-format=pb")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals("", run.errors());
        }
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(json));
        assertEquals(Map.of("where", arrays.resolve("where.npy").toString(), "class",
                arrays.resolve("class.npy").toString()), report.get("outputs"));
        assertEquals(null, report.get("processes"), "nothing is measured");
        byte[] where = Files.readAllBytes(arrays.resolve("where.npy"));
        byte[] classes = Files.readAllBytes(arrays.resolve("class.npy"));
        List<Integer> nonZero = IntStream.range(0, count).filter(i -> pixels[i] != 0).boxed().toList();
        assertHeader(where, "<i8", "(2, " + nonZero.size() + ")");
        assertHeader(classes, "<f4", "(2, 192)");
        ByteBuffer indices = ByteBuffer.wrap(where).order(ByteOrder.LITTLE_ENDIAN).position(128);
        for (int axis = 0; axis < 2; axis++) {
            for (int i : nonZero) {
                assertEquals(axis == 0 ? i / 192 : i % 192, indices.getLong());
            }
        }
        ByteBuffer shares = ByteBuffer.wrap(classes).order(ByteOrder.LITTLE_ENDIAN).position(128);
        for (int row = 0; row < 2; row++) {
            double sum = 0;
            for (int i = 0; i < 192; i++) {
                sum += Math.exp(pixels[row * 192 + i]);
            }
            for (int i = 0; i < 192; i++) {
                assertEquals(Math.exp(pixels[row * 192 + i]) / sum, shares.getFloat(), 1e-6);
            }
        }
        // The model's outputs are where and class, in this order; a TensorProto ends with its elements.
        byte[] proto = Files.readAllBytes(protos.resolve("output_1.pb"));
        assertArrayEquals(Arrays.copyOfRange(classes, 128, classes.length),
                Arrays.copyOfRange(proto, proto.length - (classes.length - 128), proto.length));
        assertTrue(new String(proto, StandardCharsets.ISO_8859_1).contains("class"));
    }

    private static void assertHeader(byte[] array, String code, String shape) {
        assertEquals("{'descr': '" + code + "', 'fortran_order': False, 'shape': " + shape + ", }",
                new String(array, 10, 118, StandardCharsets.US_ASCII).strip());
    }

    private Path writeArray(String name, String code, String shape, byte[] elements) throws IOException {
        String header = "{'descr': '" + code + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
        ByteBuffer file = ByteBuffer.allocate(10 + header.length() + elements.length).order(ByteOrder.LITTLE_ENDIAN);
        file.put("\u0093NUMPY\u0001\u0000".getBytes(StandardCharsets.ISO_8859_1)).putShort((short) header.length());
        file.put(header.getBytes(StandardCharsets.US_ASCII)).put(elements);
        return Files.write(folder.resolve(name), file.array());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "--parts=2 | the model's inputs leave N open; give --symbol NAME=N for each, or --batch N",
            "--parts=0 --symbol=N=2 | --parts=0 is not possible; give 1 to 64",
            "--symbol=N=0 | --symbol N=0 is not possible; give 1 or more",
            "--parts=4 --symbol=N=2 | MODEL cannot be divided so: a graph of 3 nodes cannot be divided into 4 parts",
            "--iterations=0 --symbol=N=2 | --iterations=0 is not possible; give 1 to 1000000",
            "--threads=0 --symbol=N=2 | --threads=0 --timeout=60 is not possible; give 1 thread or more, and 1 second or more",
            "--timeout=0 --symbol=N=2 | --threads=1 --timeout=0 is not possible; give 1 thread or more, and 1 second or more",
            "--batch=0 | --batch=0 is not possible; give 1 or more",
            "--symbol=M=2 | --symbol M=2: the inputs of MODEL have no such dimension; give one of N",
            "--input=picture=a.npy | --input picture=a.npy: MODEL has no such input; its inputs are image",
            "--input=image=FOLDER/float64.npy | --input image=FOLDER/float64.npy is FLOAT64 [2, 3, 8, 8]; the model takes FLOAT32 [2, 3, 8, 8]",
            "--input=image=FOLDER/short.npy --batch=2 | --input image=FOLDER/short.npy is FLOAT32 [2, 3, 8]; the model takes FLOAT32 [2, 3, 8, 8]",
            "--input=image=FOLDER/raw --batch=3 | --input image=FOLDER/raw has 1536 bytes; the model takes FLOAT32 [3, 3, 8, 8], which are 2304",
            "--input=image=FOLDER/image.npy --batch=3 | --input image=FOLDER/image.npy is FLOAT32 [2, 3, 8, 8]; the model takes FLOAT32 [3, 3, 8, 8]",
            "--input=image=FOLDER/raw | the model's inputs leave N open; give --symbol NAME=N for each, or --batch N",
            "--batch=2 --output=FOLDER/raw | --output=FOLDER/raw cannot be made: it exists, and is no folder; give a folder, or one that can be made"})
    void badInputIsSaidInOneLine(String arguments, String sentence) throws Exception {
        Files.write(folder.resolve("raw"), new byte[2 * 3 * 8 * 8 * Float.BYTES]);
        writeArray("image.npy", "<f4", "2, 3, 8, 8", new byte[2 * 3 * 8 * 8 * Float.BYTES]);
        writeArray("float64.npy", "<f8", "2, 3, 8, 8", new byte[2 * 3 * 8 * 8 * Double.BYTES]);
        writeArray("short.npy", "<f4", "2, 3, 8", new byte[2 * 3 * 8 * Float.BYTES]);
        try (CommandRun run = infer(model, arguments.replace("FOLDER", folder.toString()).split(" "))) {
            assertEquals(ExitStatus.BAD_INPUT, run.await(), run::errors);
            assertEquals("verbena: " + sentence.replace("MODEL", model.toString()).replace("FOLDER", folder.toString())
                    + "\n", run.errors());
        }
    }

    private static CommandRun infer(Path file, String... options) {
        List<String> arguments = new ArrayList<>(List.of("infer", file.toString(), "--fabric=shm"));
        arguments.addAll(Arrays.asList(options));
        return CommandRun.start(arguments.toArray(String[]::new));
    }
}
