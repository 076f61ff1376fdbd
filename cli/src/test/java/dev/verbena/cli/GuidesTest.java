package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever example of a guide says what it prints, prints that; each as a program of its own. */
class GuidesTest {
    /** Whose examples need what is not here: Arrow, in the tests of its module; an RDMA device, in a guest. */
    private static final Set<String> ELSEWHERE = Set.of("arrow.md", "verbs.md");
    private static final int EXAMPLES_MIN = 15;

    @TempDir
    private Path folder;

    static List<Named<DocumentExample>> examples() throws IOException {
        List<Named<DocumentExample>> examples = new ArrayList<>();
        for (String guide : guides()) {
            for (DocumentExample example : DocumentExample.found("docs/guide/" + guide)) {
                if (example.printed() != null && !example.isFile()) {
                    examples.add(Named.of(guide + " " + (examples.size() + 1), example));
                }
            }
        }
        assertTrue(examples.size() >= EXAMPLES_MIN, "examples found: " + examples.size());
        return examples;
    }

    private static List<String> guides() throws IOException {
        try (Stream<Path> files = Files.list(Repository.root().resolve("docs/guide"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".md") && !ELSEWHERE.contains(name)).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void examplePrintsWhatItsGuideSays(DocumentExample example) throws Exception {
        assertEquals(example.printed(), example.output(folder));
    }

    /** What it says of its pages depends on the machine; that it says so does not. */
    @Test
    void exampleOfMemoryRuns() throws Exception {
        String output = DocumentExample.first("docs/guide/memory.md").output(folder);
        assertTrue(output.contains("\n100 %\npages="), output);
        assertTrue(output.contains(" asked=RESERVED_HUGE numaNode=any"), output);
    }
}
