package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import dev.verbena.verbs.ffi.Availability;

/** What surrounds verbs: the libraries, and forking. */
class SurroundingsTest {
    @Test
    void librariesAreFoundOrThereIsAProblem() {
        List<VerbsLibrary> libraries = VerbsLibrary.all();
        assertEquals(List.of("libibverbs.so.1", "librdmacm.so.1"),
                libraries.stream().map(VerbsLibrary::soname).toList());
        for (VerbsLibrary library : libraries) {
            assertEquals(library.path() == null, library.problem() != null, library.toString());
            if (library.path() != null) {
                assertTrue(Files.exists(Path.of(library.path())), library.path());
            }
        }
    }

    @Test
    void theReleaseIsInTheName() {
        assertEquals("44.0", new VerbsLibrary("a.so.1", "/usr/lib/a.so.1.14.44.0", null).release());
        assertNull(new VerbsLibrary("a.so.1", "/usr/lib/a.so.1", null).release());
        assertNull(new VerbsLibrary("a.so.1", null, "missing").release());
    }

    @Test
    void forkSupportIsWhatTheLibrarySays() {
        assertEquals(ForkSupport.DISABLED, ForkSupport.of(0));
        assertEquals(ForkSupport.ENABLED, ForkSupport.of(1));
        assertEquals(ForkSupport.UNNEEDED, ForkSupport.of(2));
        assumeTrue(Availability.problem() == null, "skipped: " + Availability.problem());
        assertNotNull(ForkSupport.now());
    }
}
