package dev.verbena.verbs.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.library.NativeLibrary;

class AvailabilityTest {
    @Test
    void aMissingLibraryIsOneSentenceThatSaysWhatToInstall() {
        assertEquals(
                "RDMA verbs need library=libnothing.so.9, which the dynamic linker cannot open: install rdma-core (Debian: libnothing9).",
                Availability.problem(new NativeLibrary("libnothing.so.9", "libnothing9"), List.of("ibv_open_device")));
    }

    @Test
    void anOldLibraryIsOneSentenceThatNamesWhatItLacks() {
        NativeLibrary libc = new NativeLibrary("libc.so.6", "libc6");
        assertNull(Availability.problem(libc, List.of("malloc")));
        assertEquals(
                "This machine's library=libc.so.6 is too old, symbols=[ibv_from_the_future] are missing: install rdma-core 44 or newer.",
                Availability.problem(libc, List.of("malloc", "ibv_from_the_future")));
    }
}
