package dev.verbena.transfer.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.TransportType;

class DeviceTraitsTest {
    private static DeviceTraits of(TransportType transport, int elementCountMax, int readElementCountMax,
            int atomicCapability, ConnectMode mode) {
        return DeviceTraits.of(Devices.device(transport, elementCountMax, readElementCountMax, atomicCapability),
                NetworkOptions.defaults().withConnectMode(mode));
    }

    @Test
    void iwarpIsConnectedThroughTheConnectionManagerAndLacksMuch() {
        DeviceTraits traits = of(TransportType.IWARP, 6, 1, 2, ConnectMode.AUTO);
        assertTrue(traits.connectsByCm());
        assertFalse(traits.movesStates());
        assertFalse(traits.isTold());
        assertFalse(traits.hasAtomics());
        assertEquals(5, traits.elementCountMax(), "one is for the header");
        assertEquals(1, traits.readElementCountMax());
        assertEquals(Wire.FRAMED, Wire.of(traits));
        traits.settings().forEach(each -> assertFalse(each.reason().isBlank(), each.name()));
    }

    @Test
    void othersAreConnectedAsTheyAreAsked() {
        for (ConnectMode mode : ConnectMode.values()) {
            DeviceTraits traits = of(TransportType.INFINIBAND, 32, 30, 1, mode);
            assertEquals(mode == ConnectMode.CM, traits.connectsByCm());
            assertTrue(traits.movesStates() && traits.isTold() && traits.hasAtomics());
            assertEquals(16, traits.elementCountMax());
            assertEquals(16, traits.readElementCountMax());
            assertEquals(Wire.DIRECT, Wire.of(traits));
        }
    }

    @Test
    void limitsAreTakenApart() {
        DeviceTraits traits = of(TransportType.INFINIBAND, 8, 1, 0, ConnectMode.AUTO);
        assertEquals(8, traits.elementCountMax());
        assertEquals(1, traits.readElementCountMax());
        assertFalse(traits.hasAtomics());
    }

    @Test
    void iwarpCannotBeConnectedDirectly() {
        String message = assertThrows(TransferException.class,
                () -> of(TransportType.IWARP, 6, 1, 0, ConnectMode.DIRECT)).getMessage();
        assertTrue(message.contains("RDMA_CONNECT"), message);
    }

    @Test
    void depthsLeaveRoomForWhatTheFabricPosts() {
        assertEquals(64, Wire.DIRECT.depthMax(65));
        assertEquals(32, Wire.DIRECT.depthMax(64));
        assertEquals(4096, Wire.DIRECT.depthMax(1 << 20));
        int of64 = FramedSends.REQUESTS_EACH * 64 + FramedSends.REQUESTS_MORE;
        assertEquals(64, Wire.FRAMED.depthMax(of64));
        assertEquals(32, Wire.FRAMED.depthMax(of64 - 1));
        assertEquals(Suspects.COUNT_MAX, Wire.FRAMED.depthMax(1 << 20));
    }
}
