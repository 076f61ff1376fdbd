package dev.verbena.memory.slab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The kernel's switches, as files that a test can write. */
public class HugePagesTest {
    @TempDir
    Path folder;

    /** A system whose switch for transparent huge pages of all sizes is this. */
    public static HugePages with(Path folder, String enabled) throws IOException {
        write(folder.resolve("transparent_hugepage/enabled"), enabled);
        return new HugePages(folder, write(folder.resolve("status"), "Name:\tjava\nTHP_enabled:\t1\n"));
    }

    @ParameterizedTest
    @CsvSource({"[always] madvise never, true", "always [madvise] never, true", "always madvise [never], false"})
    void theCommonSwitchDecides(String enabled, boolean isToBeHad) throws IOException {
        String refusal = with(folder, enabled).transparentRefusal();
        assertEquals(isToBeHad, refusal == null, refusal);
        if (!isToBeHad) {
            assertTrue(refusal.contains(folder + "/transparent_hugepage/enabled is \"" + enabled + '"'), refusal);
            assertTrue(refusal.contains("write madvise to it"), refusal);
        }
    }

    @ParameterizedTest
    @CsvSource({"always madvise [never], always inherit madvise [never], false",
            "always madvise [never], always inherit [madvise] never, true",
            "always madvise [never], always [inherit] madvise never, false",
            "[always] madvise never, always [inherit] madvise never, true",
            "[always] madvise never, always inherit madvise [never], false"})
    void theSwitchOfTheSizeComesFirst(String common, String own, boolean isToBeHad) throws IOException {
        HugePages pages = with(folder, common);
        write(folder.resolve("transparent_hugepage/hugepages-2048kB/enabled"), own);
        assertEquals(isToBeHad, pages.transparentRefusal() == null, pages.transparentRefusal());
    }

    @Test
    void theSwitchOfTheProcessComesLast() throws IOException {
        HugePages pages = with(folder, "[always] madvise never");
        assertNull(pages.transparentRefusal());
        write(folder.resolve("status"), "Name:\tjava\nTHP_enabled:\t0\n");
        assertTrue(pages.transparentRefusal().contains("THP_enabled: 0"), pages.transparentRefusal());
    }

    @Test
    void aKernelWithoutThemIsSaidToBe() {
        HugePages none = new HugePages(folder.resolve("none"), folder.resolve("none"));
        assertTrue(none.transparentRefusal().contains("is not there"), none.transparentRefusal());
        assertTrue(none.reservedState().contains("is not there"), none.reservedState());
    }

    @Test
    void thePoolIsSaidInNumbers() throws IOException {
        HugePages pages = with(folder, "never");
        Path pool = folder.resolve("hugepages/hugepages-2048kB");
        write(pool.resolve("nr_hugepages"), "8\n");
        write(pool.resolve("free_hugepages"), "3\n");
        write(pool.resolve("resv_hugepages"), "2\n");
        assertTrue(pages.reservedState().startsWith("nr_hugepages=8 free_hugepages=3 resv_hugepages=2"),
                pages.reservedState());
    }

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }
}
