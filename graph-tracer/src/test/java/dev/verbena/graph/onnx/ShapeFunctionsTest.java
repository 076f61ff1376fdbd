package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

class ShapeFunctionsTest {
    private static final Path SOURCES = Path.of(System.getProperty("verbena.home", ".."))
            .resolve("graph-tracer/src/test/java/dev/verbena/graph/onnx");

    @Test
    void eachOperatorIsCompared() throws IOException {
        StringBuilder cases = new StringBuilder();
        for (Class<?> test : List.of(ConvolutionOperatorsTest.class, ElementwiseOperatorsTest.class,
                LayoutOperatorsTest.class)) {
            cases.append(Files.readString(SOURCES.resolve(test.getSimpleName() + ".java")));
        }
        Set<String> operators = ShapeInference.standardFunctions().operators();
        assertTrue(operators.size() >= 90, "operators: " + operators.size());
        assertEquals(List.of(),
                operators.stream().filter(each -> !cases.toString().contains("\"" + each + "\"")).toList());
    }

    @Test
    void theLatestVersionHolds() {
        ShapeFunction first = node -> {};
        ShapeFunction second = node -> {};
        ShapeFunctions functions = ShapeFunctions.none().with("a", "B", 3, first).with("a", "B", 5, second);
        assertFalse(functions.find("a", "B", 2).isPresent());
        assertEquals(first, functions.find("a", "B", 4).get());
        assertEquals(second, functions.find("a", "B", 99).get());
        assertEquals(Set.of("a.B"), functions.operators());
    }
}
