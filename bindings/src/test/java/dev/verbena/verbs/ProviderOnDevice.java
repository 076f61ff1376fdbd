package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.ffi.LibC;

/** A device's functions are its provider's, whatever the kernel says of it. */
class ProviderOnDevice {
    @Test
    void itIsKnownAndTheSameForAllFunctions() {
        try (TestDevice device = new TestDevice()) {
            Provider provider = device.context.provider();
            assertTrue(provider.name().matches("[a-z0-9_]+"), provider::toString);
            assertEquals(provider, Provider.ofFile(
                    LibC.fileOf(ibv_context_ops.post_send(ibv_context.ops(device.context.pointer())))));
            // The drivers without hardware give the beginning of their devices' usual names.
            assertEquals(device.context.name().matches("(rxe|siw)\\d+"), provider.isSoftware());
        }
    }
}
