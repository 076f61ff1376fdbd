package dev.verbena.memory;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The type of a tensor's elements, in native byte order. {@link Elements} reads and writes single ones.
 *
 * <pre>
 *   FLOAT16         1 sign, 5 exponent, 10 mantissa bits   IEEE 754 binary16
 *   BFLOAT16        1, 8, 7                                the upper half of a FLOAT32
 *   FLOAT8E4M3FN    1, 4, 3                                no infinities; NaN is S.1111.111
 *   FLOAT8E5M2      1, 5, 2                                the upper half of a FLOAT16
 *   INT4            two a byte, the first of them in the lower half, as in ONNX; -8 .. 7
 *   BOOL            a byte, 0 is false
 *   COMPLEX64, 128  real part, imaginary part, a FLOAT32 or FLOAT64 each
 * </pre>
 *
 * <p>Names and codes are those of ONNX ({@code TensorProto.DataType} of onnx.proto) and of safetensors ({@code Dtype}, version 0.7); the two
 * eight-bit floats are those of the OCP 8-bit Floating Point Specification, revision 1.0.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum ElementType {
    /** IEEE 754 binary64: a Java double; {@code DOUBLE} in ONNX, {@code F64} in safetensors. */
    FLOAT64(64, 11, "DOUBLE", "F64", ValueLayout.JAVA_DOUBLE),
    /** IEEE 754 binary32: a Java float; {@code FLOAT} in ONNX, {@code F32} in safetensors. */
    FLOAT32(32, 1, "FLOAT", "F32", ValueLayout.JAVA_FLOAT),
    /** IEEE 754 binary16, "half": 11 bits of precision, finite up to 65,504; {@code F16} in safetensors. */
    FLOAT16(16, 10, "FLOAT16", "F16", ValueLayout.JAVA_SHORT),
    /** The upper 16 bits of a FLOAT32: its range with 8 bits of precision; {@code BF16} in safetensors. */
    BFLOAT16(16, 16, "BFLOAT16", "BF16", ValueLayout.JAVA_SHORT),
    /** E4M3 of the OCP's 8-bit floats: 4 bits of precision, -448 to 448 and NaN, no infinities; {@code F8_E4M3} in safetensors. */
    FLOAT8E4M3FN(8, 17, "FLOAT8E4M3FN", "F8_E4M3", ValueLayout.JAVA_BYTE),
    /** E5M2 of the OCP's 8-bit floats: 3 bits of precision, finite up to 57,344, infinities and NaN; {@code F8_E5M2} in safetensors. */
    FLOAT8E5M2(8, 19, "FLOAT8E5M2", "F8_E5M2", ValueLayout.JAVA_BYTE),
    /** Two's complement, -2^63 to 2^63 - 1: a Java long; {@code I64} in safetensors. Shapes and axes in ONNX models are of this type. */
    INT64(64, 7, "INT64", "I64", ValueLayout.JAVA_LONG),
    /** Two's complement, -2^31 to 2^31 - 1: a Java int; {@code I32} in safetensors. */
    INT32(32, 6, "INT32", "I32", ValueLayout.JAVA_INT),
    /** Two's complement, -32,768 to 32,767: a Java short; {@code I16} in safetensors. */
    INT16(16, 5, "INT16", "I16", ValueLayout.JAVA_SHORT),
    /** Two's complement, -128 to 127: a Java byte; {@code I8} in safetensors. */
    INT8(8, 3, "INT8", "I8", ValueLayout.JAVA_BYTE),
    /** Two's complement, -8 to 7; two share a byte, the first of them in its lower half, as in ONNX. Safetensors has none. */
    INT4(4, 22, "INT4", null, null),
    /** 0 to 2^64 - 1, in Java the bits of a long; {@code U64} in safetensors. */
    UINT64(64, 13, "UINT64", "U64", ValueLayout.JAVA_LONG),
    /** 0 to 2^32 - 1, in Java the bits of an int; {@code U32} in safetensors. */
    UINT32(32, 12, "UINT32", "U32", ValueLayout.JAVA_INT),
    /** 0 to 65,535, in Java the bits of a short; {@code U16} in safetensors. */
    UINT16(16, 4, "UINT16", "U16", ValueLayout.JAVA_SHORT),
    /** 0 to 255, in Java the bits of a byte; {@code U8} in safetensors. */
    UINT8(8, 2, "UINT8", "U8", ValueLayout.JAVA_BYTE),
    /** A byte: 0 is false; 1 is written for true, and whatever is not 0 is read as true. */
    BOOL(8, 9, "BOOL", "BOOL", ValueLayout.JAVA_BYTE),
    /** Two FLOAT32, the real part first, aligned to 4 bytes; {@code C64} in safetensors. */
    COMPLEX64(64, 14, "COMPLEX64", "C64", null),
    /** Two FLOAT64, the real part first, aligned to 8 bytes. Safetensors has none. */
    COMPLEX128(128, 15, "COMPLEX128", null, null);

    /** Asked for each tensor that arrives. */
    private static final ElementType[] BY_CODE = new ElementType[Arrays.stream(values()).mapToInt(type -> type.code)
            .max().getAsInt() + 1];

    static {
        for (ElementType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int bitSize;
    private final int code;
    private final String onnxName;
    private final String safetensorsName;
    private final ValueLayout layout;
    private final long elementCountMax;

    /** {@code safetensorsName} and {@code layout} may be null. */
    ElementType(int bitSize, int code, String onnxName, String safetensorsName, ValueLayout layout) {
        this.bitSize = bitSize;
        this.code = code;
        this.onnxName = onnxName;
        this.safetensorsName = safetensorsName;
        this.layout = layout;
        elementCountMax = bitSize < Byte.SIZE ? Long.MAX_VALUE : Long.MAX_VALUE / (bitSize / Byte.SIZE);
    }

    /** @throws IllegalArgumentException if no type has that code */
    public static ElementType ofCode(int code) {
        ElementType type = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        return type != null ? type : find(each -> each.code, code, "code=" + code);
    }

    /** @throws IllegalArgumentException if ONNX calls none of these so */
    public static ElementType ofOnnxName(String name) {
        return find(ElementType::onnxName, name, "ONNX name '" + name + "'");
    }

    /** @throws IllegalArgumentException if safetensors calls none of these so */
    public static ElementType ofSafetensorsName(String name) {
        return find(type -> type.safetensorsName, name, "safetensors name '" + name + "'");
    }

    private static <T> ElementType find(Function<ElementType, T> key, T wanted, String what) {
        return Arrays.stream(values()).filter(type -> wanted.equals(key.apply(type))).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no element type has the " + what + "; known: "
                        + Arrays.stream(values()).map(key).filter(known -> known != null).map(String::valueOf)
                                .collect(Collectors.joining(", "))));
    }

    /** Bits of one element. */
    public int bitSize() {
        return bitSize;
    }

    /**
     * Bytes of so many elements, the last one filled up.
     *
     * @throws IllegalArgumentException if there are fewer than 0, or more than have 2^63 - 1 bytes
     */
    public long byteSize(long elementCount) {
        if (elementCount < 0 || elementCount > elementCountMax) {
            throw new IllegalArgumentException("elementCount=" + elementCount + " of " + this + " is not in 0.."
                    + elementCountMax);
        }
        // Unsigned, since 2^63 - 1 elements of four bits are not too many.
        return bitSize < Byte.SIZE ? elementCount + 1 >>> 1 : elementCount * (bitSize / Byte.SIZE);
    }

    /** What addresses of elements are a multiple of, in bytes: the size of an element, and of a complex number that of its parts. */
    public long byteAlignment() {
        return switch (this) {
            case INT4 -> 1;
            case COMPLEX64, COMPLEX128 -> bitSize / Byte.SIZE / 2;
            default -> bitSize / Byte.SIZE;
        };
    }

    /** As many as have at most 2^63 - 1 bytes. */
    long elementCountMax() {
        return elementCountMax;
    }

    /**
     * The layout of the bits of one element in native byte order: unsigned numbers as signed ones, floats of 16 and 8 bits as their codes.
     *
     * @throws UnsupportedOperationException if none is: of INT4, of which two share a byte, and of complex numbers, which are two values
     */
    public ValueLayout layout() {
        if (layout == null) {
            throw new UnsupportedOperationException(this == INT4 ? "INT4 has no layout of its own: two share a byte"
                    : this + " has no layout of its own: it is two values, a real and an imaginary part");
        }
        return layout;
    }

    /** Its number in ONNX's {@code TensorProto.DataType}, which never changes; it also stands for the type in messages to peers. */
    public int code() {
        return code;
    }

    /** As ONNX's {@code TensorProto.DataType} calls it. */
    public String onnxName() {
        return onnxName;
    }

    /** As the header of a safetensors file calls it; empty for INT4 and COMPLEX128, which it has not. */
    public Optional<String> safetensorsName() {
        return Optional.ofNullable(safetensorsName);
    }
}
