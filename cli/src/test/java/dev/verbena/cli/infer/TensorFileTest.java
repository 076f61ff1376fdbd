package dev.verbena.cli.infer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.cli.BadInputException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

class TensorFileTest {
    private static final String FLOATS = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
    private static final byte[] ELEMENTS = HexFormat.of().parseHex("0000803f000000c0");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void anArrayOfNumPys(int version) throws IOException {
        TensorFile read = TensorFile.read(npy(version, FLOATS, ELEMENTS));
        assertEquals(ElementType.FLOAT32, read.type());
        assertEquals(Shape.of(2, 1), read.shape());
        assertEquals(1f, read.bytes().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
        assertEquals(-2f, read.bytes().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4));
    }

    /** As numpy.save writes them. */
    @Test
    void whatIsWrittenIsWhatNumPyWrites() throws IOException {
        for (Shape shape : new Shape[]{Shape.of(2, 1), Shape.of(2), Shape.of()}) {
            int count = (int) shape.elementCount();
            byte[] elements = new byte[count * Float.BYTES];
            Path file = folder.resolve("written.npy");
            try (OutputStream out = Files.newOutputStream(file)) {
                NpyFormat.write(out, ElementType.FLOAT32, shape, MemorySegment.ofArray(elements));
            }
            String tuple = shape.rank() == 0 ? "()" : shape.rank() == 1 ? "(2,)" : "(2, 1)";
            String header = FLOATS.replace("(2, 1)", tuple);
            byte[] expected = ("\u0093NUMPY\u0001\u0000\u0076\u0000" + header + " ".repeat(117 - header.length())
                    + "\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            byte[] written = Files.readAllBytes(file);
            assertEquals(128 + elements.length, written.length);
            assertArrayEquals(expected, Arrays.copyOf(written, 128));
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void whatIsWrittenIsRead(ElementType type) throws IOException {
        Shape shape = Shape.of(3, 4);
        byte[] elements = new byte[(int) shape.byteSize(type)];
        new Random(type.ordinal()).nextBytes(elements);
        for (String ending : new String[]{TensorFile.NPY, TensorFile.PROTO}) {
            if (ending.equals(TensorFile.NPY) && !NpyFormat.has(type)) {
                continue;
            }
            Path file = folder.resolve(type + ending);
            try (OutputStream out = Files.newOutputStream(file)) {
                if (ending.equals(TensorFile.NPY)) {
                    NpyFormat.write(out, type, shape, MemorySegment.ofArray(elements));
                } else {
                    TensorProtoFormat.write(out, "some name", type, shape, MemorySegment.ofArray(elements));
                }
            }
            TensorFile read = TensorFile.read(file);
            assertEquals(type, read.type());
            assertEquals(shape, read.shape());
            assertArrayEquals(elements, read.bytes().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
            "{'descr': '>f4', 'fortran_order': False, 'shape': (2, 1), } | has elements '>f4'; those that can be taken are ",
            "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1), } | is in column-major order; save numpy.ascontiguousarray",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1), } | FLOAT32 [3, 1] has 12 bytes, but 8 are there",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4611686018427387904), } | is no .npy file",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), } | is no .npy file",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2, 1), } | its elements are no single numbers",
            "{'descr': '<f4', 'fortran_order': False} | it does not say its shape"})
    void anArrayThatCannotBeTakenIsNamed(String header, String why) throws IOException {
        Path file = npy(1, header, ELEMENTS);
        String message = assertThrows(BadInputException.class, () -> TensorFile.read(file)).getMessage();
        assertTrue(message.startsWith(file.toString()) && message.contains(why), message);
    }

    @Test
    void anArrayThatIsCutOffIsRefusedWhereverItIs() throws IOException {
        byte[] whole = Files.readAllBytes(npy(1, FLOATS, ELEMENTS));
        for (int size = 0; size < whole.length; size++) {
            Path file = Files.write(folder.resolve("cut.npy"), Arrays.copyOf(whole, size));
            assertThrows(BadInputException.class, () -> TensorFile.read(file), "size=" + size);
        }
    }

    /** Elements as a list, before name and dimensions, and packed; in bytes. */
    @ParameterizedTest
    @ValueSource(strings = {"080208011001420161" + "2208" + "0000803f000000c0",
            "2208" + "0000803f000000c0" + "4201610a0202011001",
            "08020801" + "1001" + "4a08" + "0000803f000000c0"})
    void aTensorOfOnnxs(String hex) throws IOException {
        Path file = Files.write(folder.resolve("input_0.pb"), HexFormat.of().parseHex(hex));
        TensorFile read = TensorFile.read(file);
        assertEquals(ElementType.FLOAT32, read.type());
        assertEquals(Shape.of(2, 1), read.shape());
        assertArrayEquals(ELEMENTS, read.bytes().toArray(ValueLayout.JAVA_BYTE));
    }

    @ParameterizedTest
    @CsvSource({"ff, is no TensorProto that can be read", "080308011001" + "4a080000803f000000c0, has 12 bytes",
            "08011008" + "320161, has elements of type 8 of TensorProto.DataType",
            "0802100170016a0b0a086c6f636174696f6e12 01, TensorProto"})
    void aTensorThatCannotBeTakenIsNamed(String hex, String why) throws IOException {
        Path file = Files.write(folder.resolve("input_0.pb"), HexFormat.of().parseHex(hex.replace(" ", "")));
        String message = assertThrows(BadInputException.class, () -> TensorFile.read(file)).getMessage();
        assertTrue(message.startsWith(file.toString()) && message.contains(why), message);
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path file = folder.resolve("none.npy");
        assertEquals(file + " cannot be read: it does not exist",
                assertThrows(BadInputException.class, () -> TensorFile.read(file)).getMessage());
    }

    private Path npy(int version, String header, byte[] elements) throws IOException {
        StringBuilder text = new StringBuilder("\u0093NUMPY").append((char) version).append('\0');
        text.append((char) (header.length() + 1)).append('\0').append(version == 1 ? "" : "\0\0").append(header)
                .append('\n');
        Path file = folder.resolve("array.npy");
        try (OutputStream out = Files.newOutputStream(file)) {
            out.write(text.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(elements);
        }
        return file;
    }
}
