package dev.verbena.cli.infer;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.verbena.cli.BadInputException;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * NumPy's files of one array, versions 1 to 3 as {@code numpy.lib.format} describes them.
 *
 * <pre>
 *   0x93 N U M P Y | major | minor | header's size: 2 bytes in version 1, else 4 | header, the text of a dictionary | elements
 * </pre>
 */
final class NpyFormat {
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    /** Where the header's size is. */
    private static final int SIZE_OFFSET = MAGIC.length + 2;
    private static final int VERSION_MAX = 3;
    /** What the elements' offset is a multiple of. */
    private static final int ALIGNMENT = 64;
    private static final int HEADER_BYTE_SIZE_MAX = 1 << 16;
    private static final Map<ElementType, String> CODES = Map.of(ElementType.FLOAT64, "<f8", ElementType.FLOAT32,
            "<f4", ElementType.FLOAT16, "<f2", ElementType.INT64, "<i8", ElementType.INT32, "<i4", ElementType.INT16,
            "<i2", ElementType.INT8, "|i1", ElementType.UINT8, "|u1", ElementType.BOOL, "|b1");
    private static final Pattern CODE = Pattern.compile("'descr'\\s*:\\s*'([^']*)'");
    private static final Pattern IS_COLUMN_MAJOR = Pattern.compile("'fortran_order'\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("'shape'\\s*:\\s*\\(([0-9,\\s]*)\\)");

    private NpyFormat() {}

    /** Whether NumPy has such elements. */
    static boolean has(ElementType type) {
        return CODES.containsKey(type);
    }

    static TensorFile read(Path file, MemorySegment content) {
        if (content.byteSize() < SIZE_OFFSET + Integer.BYTES
                || content.asSlice(0, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) != -1) {
            throw malformed(file, "it does not begin as one");
        }
        int version = content.get(ValueLayout.JAVA_BYTE, MAGIC.length);
        if (version < 1 || version > VERSION_MAX) {
            throw malformed(file, "version=" + version + " is none of 1 to " + VERSION_MAX);
        }
        boolean isShort = version == 1;
        long headerSize = isShort
                ? Short.toUnsignedLong(content.get(little(ValueLayout.JAVA_SHORT_UNALIGNED), SIZE_OFFSET))
                : Integer.toUnsignedLong(content.get(little(ValueLayout.JAVA_INT_UNALIGNED), SIZE_OFFSET));
        long headerOffset = SIZE_OFFSET + (isShort ? Short.BYTES : Integer.BYTES);
        if (headerSize > HEADER_BYTE_SIZE_MAX || headerSize > content.byteSize() - headerOffset) {
            throw malformed(file, "its header has headerSize=" + headerSize + " bytes, and the file "
                    + content.byteSize());
        }
        String header = new String(content.asSlice(headerOffset, headerSize).toArray(ValueLayout.JAVA_BYTE),
                StandardCharsets.UTF_8);
        ElementType type = type(file, find(CODE, header).orElseThrow(
                () -> malformed(file, "its elements are no single numbers: " + header.strip())));
        Shape shape = shape(file, find(SHAPE, header).orElseThrow(
                () -> malformed(file, "it does not say its shape: " + header.strip())));
        if (!find(IS_COLUMN_MAJOR, header).orElse("").equals("False") && shape.rank() > 1) {
            throw new BadInputException(file + " is in column-major order; save numpy.ascontiguousarray of it");
        }
        MemorySegment elements = content.asSlice(headerOffset + headerSize);
        if (elements.byteSize() != shape.byteSize(type)) {
            throw malformed(file, type + " " + shape + " has " + shape.byteSize(type) + " bytes, but "
                    + elements.byteSize() + " are there");
        }
        return new TensorFile(type, shape, elements);
    }

    private static <L extends ValueLayout> L little(L layout) {
        @SuppressWarnings("unchecked")
        L ordered = (L) layout.withOrder(ByteOrder.LITTLE_ENDIAN);
        return ordered;
    }

    private static Optional<String> find(Pattern pattern, String header) {
        Matcher matcher = pattern.matcher(header);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static ElementType type(Path file, String code) {
        return CODES.entrySet().stream().filter(each -> each.getValue().equals(code)).map(Map.Entry::getKey)
                .findFirst().orElseThrow(() -> new BadInputException(file + " has elements '" + code
                        + "'; those that can be taken are " + CODES.values().stream().sorted().toList()));
    }

    private static Shape shape(Path file, String dimensions) {
        try {
            Shape shape = Shape.of(Arrays.stream(dimensions.split(",")).map(String::strip)
                    .filter(each -> !each.isEmpty()).mapToLong(Long::parseLong).toArray());
            shape.byteSize(ElementType.FLOAT64);
            return shape;
        } catch (IllegalArgumentException e) {
            throw malformed(file, "shape (" + dimensions + "): " + e.getMessage());
        }
    }

    private static BadInputException malformed(Path file, String why) {
        return new BadInputException(file + " is no .npy file that can be read: " + why);
    }

    /** @param type that NumPy {@linkplain #has has} */
    static void write(OutputStream file, ElementType type, Shape shape, MemorySegment elements) throws IOException {
        String dimensions = Arrays.stream(shape.dimensions()).mapToObj(each -> each + ",")
                .collect(Collectors.joining(" "));
        String header = "{'descr': '" + CODES.get(type) + "', 'fortran_order': False, 'shape': ("
                + (shape.rank() > 1 ? dimensions.substring(0, dimensions.length() - 1) : dimensions) + "), }";
        int elementsOffset = Math.ceilDiv(SIZE_OFFSET + Short.BYTES + header.length() + 1, ALIGNMENT) * ALIGNMENT;
        int headerSize = elementsOffset - SIZE_OFFSET - Short.BYTES;
        ByteBuffer head = ByteBuffer.allocate(elementsOffset).order(ByteOrder.LITTLE_ENDIAN);
        head.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) headerSize);
        head.put((header + " ".repeat(headerSize - header.length() - 1) + "\n").getBytes(StandardCharsets.US_ASCII));
        file.write(head.array());
        writeAll(file, elements);
    }

    /** Elements, as they are. */
    static void writeAll(OutputStream file, MemorySegment elements) throws IOException {
        WritableByteChannel channel = Channels.newChannel(file);
        ByteBuffer bytes = elements.asByteBuffer();
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
