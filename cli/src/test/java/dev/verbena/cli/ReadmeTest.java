package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents show is true: examples compile and run, the files that the README names are there. */
class ReadmeTest {
    private static final Pattern FILE = Pattern.compile("`((?:docs/|\\./)[\\w./-]+)");
    private static final int EXAMPLE_LINES = 15;

    @TempDir
    private Path folder;

    @Test
    void exampleRuns() throws Exception {
        DocumentExample example = DocumentExample.first("README.md");
        assertEquals(EXAMPLE_LINES, example.statements().size(), "lines of the example");
        assertEquals("3.14 copied=0\n", example.output(folder));
    }

    /** What it says of its pages depends on the machine; that it says so does not. */
    @Test
    void exampleOfMemoryRuns() throws Exception {
        String output = DocumentExample.first("docs/guide/memory.md").output(folder);
        assertTrue(output.contains("\n100 %\npages="), output);
        assertTrue(output.contains(" asked=RESERVED_HUGE numaNode=any"), output);
    }

    @Test
    void exampleOfGivenMemoryPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.all("docs/guide/memory.md").getLast();
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfASimulationPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/simulation.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfAStreamPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.all("docs/guide/transfers.md").getLast();
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfAGroupPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/groups.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfAnExchangePrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/exchange.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfAModelPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/onnx.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfAGraphPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/graphs.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void examplesOfControlInputsAndBranchesPrintWhatTheirGuideSays(int index) throws Exception {
        DocumentExample example = DocumentExample.all("docs/guide/graphs.md").get(index);
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfPartsPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/trace.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void exampleOfPartsThatRunPrintsWhatItsGuideSays() throws Exception {
        DocumentExample example = DocumentExample.first("docs/guide/onnxruntime.md");
        assertEquals(example.printed(), example.output(folder));
    }

    @Test
    void examplesOfTheAllocatorPrintWhatItsGuidesSay() throws Exception {
        for (String guide : List.of("docs/guide/allocator.md", "docs/guide/tensors.md")) {
            for (DocumentExample example : DocumentExample.all(guide)) {
                assertEquals(example.printed(), example.output(folder));
            }
        }
    }

    @Test
    void namedFilesExist() throws IOException {
        Matcher file = FILE.matcher(Files.readString(Repository.root().resolve("README.md")));
        int named = 0;
        while (file.find()) {
            named++;
            assertTrue(Files.exists(Repository.root().resolve(file.group(1))), file.group(1));
        }
        assertTrue(named >= 3, "files named: " + named);
    }
}
