package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.verbena.verbs.Need;
import dev.verbena.verbs.Needs;

/** What is shown of the bindings compiles, runs, and prints what it says; on the first device of InfiniBand's transport. */
@Needs(Need.CONNECTING_BY_HAND)
class VerbsGuideOnDevice {
    @TempDir
    private Path folder;

    @Test
    void theFirstMessageArrives() throws Exception {
        assertEquals("hello\n", DocumentExample
                .ofPackage("bindings/src/main/java/dev/verbena/verbs/package-info.java").output(folder));
    }

    @Test
    void aConnectionByAddressComesAbout() throws Exception {
        assertEquals("welcome, READY_TO_SEND\n", DocumentExample
                .ofPackage("bindings/src/main/java/dev/verbena/verbs/cm/package-info.java").output(folder));
    }

    /** One by one: in a guest each takes most of a minute. */
    @ParameterizedTest
    @MethodSource
    void anExampleOfTheGuidePrintsWhatItSays(DocumentExample example) throws Exception {
        assertEquals(example.printed(), example.output(folder));
    }

    static List<DocumentExample> anExampleOfTheGuidePrintsWhatItSays() throws IOException {
        return DocumentExample.all("docs/guide/verbs.md");
    }
}
