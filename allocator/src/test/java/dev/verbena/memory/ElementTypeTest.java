package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ElementTypeTest {
    /** Codes and names as in onnx.proto and in tensor.rs of safetensors; sizes and alignments in bytes but for the first. */
    @ParameterizedTest
    @CsvSource({"FLOAT64, 64, 8, 11, DOUBLE, F64", "FLOAT32, 32, 4, 1, FLOAT, F32", "FLOAT16, 16, 2, 10, FLOAT16, F16",
            "BFLOAT16, 16, 2, 16, BFLOAT16, BF16", "FLOAT8E4M3FN, 8, 1, 17, FLOAT8E4M3FN, F8_E4M3",
            "FLOAT8E5M2, 8, 1, 19, FLOAT8E5M2, F8_E5M2", "INT64, 64, 8, 7, INT64, I64", "INT32, 32, 4, 6, INT32, I32",
            "INT16, 16, 2, 5, INT16, I16", "INT8, 8, 1, 3, INT8, I8", "INT4, 4, 1, 22, INT4,",
            "UINT64, 64, 8, 13, UINT64, U64", "UINT32, 32, 4, 12, UINT32, U32", "UINT16, 16, 2, 4, UINT16, U16",
            "UINT8, 8, 1, 2, UINT8, U8", "BOOL, 8, 1, 9, BOOL, BOOL", "COMPLEX64, 64, 4, 14, COMPLEX64, C64",
            "COMPLEX128, 128, 8, 15, COMPLEX128,"})
    void areWhatTheSpecificationsSay(ElementType type, int bitSize, long alignment, int code, String onnxName,
            String safetensorsName) {
        assertEquals(bitSize, type.bitSize());
        assertEquals(alignment, type.byteAlignment());
        assertEquals(code, type.code());
        assertEquals(onnxName, type.onnxName());
        assertEquals(Optional.ofNullable(safetensorsName), type.safetensorsName());
        assertEquals(type, ElementType.ofCode(code));
        assertEquals(type, ElementType.ofOnnxName(onnxName));
        type.safetensorsName().ifPresent(name -> assertEquals(type, ElementType.ofSafetensorsName(name)));
    }

    @Test
    void codesAndNamesAreOfOneEach() {
        int all = ElementType.values().length;
        assertEquals(all,
                Arrays.stream(ElementType.values()).map(ElementType::code).collect(Collectors.toSet()).size());
        assertEquals(all,
                Arrays.stream(ElementType.values()).map(ElementType::onnxName).collect(Collectors.toSet()).size());
        assertEquals(all - 2, Arrays.stream(ElementType.values()).flatMap(type -> type.safetensorsName().stream())
                .collect(Collectors.toSet()).size());
    }

    @Test
    void unknownCodesAndNamesAreRefusedWithThoseThatAreKnown() {
        String code = assertThrows(IllegalArgumentException.class, () -> ElementType.ofCode(8)).getMessage();
        assertTrue(code.contains("code=8") && code.contains("11, 1, 10"), code);
        String onnx = assertThrows(IllegalArgumentException.class, () -> ElementType.ofOnnxName("FLOAT32"))
                .getMessage();
        assertTrue(onnx.contains("'FLOAT32'") && onnx.contains("DOUBLE, FLOAT,"), onnx);
        String safetensors = assertThrows(IllegalArgumentException.class, () -> ElementType.ofSafetensorsName("F4"))
                .getMessage();
        assertTrue(safetensors.contains("'F4'") && safetensors.contains("F8_E4M3") && !safetensors.contains("null"),
                safetensors);
    }

    @ParameterizedTest
    @CsvSource({"INT4, 0, 0", "INT4, 1, 1", "INT4, 2, 1", "INT4, 3, 2",
            "INT4, 9223372036854775807, 4611686018427387904",
            "UINT8, 9223372036854775807, 9223372036854775807", "BFLOAT16, 3, 6",
            "COMPLEX128, 576460752303423487, 9223372036854775792"})
    void sizesAreRoundedUpToWholeBytes(ElementType type, long elementCount, long byteSize) {
        assertEquals(byteSize, type.byteSize(elementCount));
        assertEquals(byteSize, Shape.of(elementCount).byteSize(type));
    }

    @ParameterizedTest
    @CsvSource({"INT4, -1", "UINT8, -1", "BFLOAT16, 4611686018427387904", "COMPLEX128, 576460752303423488"})
    void countsOfNoSizeAreRefused(ElementType type, long elementCount) {
        String message = assertThrows(IllegalArgumentException.class, () -> type.byteSize(elementCount)).getMessage();
        assertTrue(message.contains("elementCount=" + elementCount) && message.contains(type.name()), message);
        assertThrows(IllegalArgumentException.class, () -> Shape.of(elementCount).byteSize(type));
    }

    @ParameterizedTest
    @EnumSource
    void aLayoutHasTheSizeOfAnElement(ElementType type) {
        Set<ElementType> without = EnumSet.of(ElementType.INT4, ElementType.COMPLEX64, ElementType.COMPLEX128);
        if (without.contains(type)) {
            String message = assertThrows(UnsupportedOperationException.class, type::layout).getMessage();
            assertTrue(message.startsWith(type + " has no layout of its own: "), message);
        } else {
            assertEquals(type.bitSize(), type.layout().byteSize() * 8);
            assertEquals(type.byteAlignment(), type.layout().byteAlignment());
        }
    }

    @Test
    void tensorsOfHalfBytesEndWithAWholeOne() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 0, 1 << 20);
                Tensor tensor = arena.allocate(ElementType.INT4, Shape.of(3, 3))) {
            assertEquals(5, tensor.byteSize());
            assertEquals(5, tensor.memory().byteSize());
        }
    }
}
