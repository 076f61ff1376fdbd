package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;

/** Registered memory. */
interface MemoryContract extends FabricFixture {
    @Test
    default void aRegionIsZeroedAlignedAndAsLargeAsAsked() {
        Fabric fabric = openFabric();
        for (long byteSize : new long[]{1, 8, 4095, 4096, 4097, 1 << 20}) {
            MemoryRegion region = fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
            assertTrue(region.memory().byteSize() >= byteSize);
            assertEquals(0, region.memory().address() % 4096);
            for (long i = 0; i < byteSize; i++) {
                assertEquals(0, region.memory().get(ValueLayout.JAVA_BYTE, i));
            }
            region.memory().fill((byte) 1);
            assertSame(region.memory(), region.memory());
            assertEquals(EnumSet.allOf(AccessRight.class), region.rights());
        }
    }

    @Test
    default void keysDifferAndAreNotReusedAtOnce() {
        Fabric fabric = openFabric();
        Set<Long> keys = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            MemoryRegion region = fabric.register(64, EnumSet.noneOf(AccessRight.class));
            assertTrue(keys.add(region.rkey()));
            if (i % 2 == 0) {
                region.close();
            }
        }
    }

    @Test
    default void registrationIsAccountedFor() {
        Fabric fabric = openFabric();
        assertEquals(0, fabric.registeredByteSize());
        MemoryRegion region = fabric.register(100_000, EnumSet.noneOf(AccessRight.class));
        assertTrue(fabric.registeredByteSize() >= 100_000);
        assertEquals(1, fabric.registrationCount());
        assertNotEquals(0, fabric.registrationNs());
        region.close();
        assertEquals(0, fabric.registeredByteSize());
        assertEquals(1, fabric.registrationCount());
    }

    @Test
    default void useAfterCloseThrows() {
        Fabric fabric = openFabric();
        MemoryRegion region = fabric.register(4096, EnumSet.noneOf(AccessRight.class));
        region.close();
        region.close();
        assertThrows(IllegalStateException.class, () -> region.memory().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    default void closingTheFabricClosesItsRegions() {
        Fabric fabric = openFabric();
        MemoryRegion region = fabric.register(4096, EnumSet.noneOf(AccessRight.class));
        fabric.close();
        fabric.close();
        assertThrows(IllegalStateException.class, () -> region.memory().get(ValueLayout.JAVA_BYTE, 0));
        region.close();
        assertThrows(IllegalStateException.class, () -> fabric.register(4096, EnumSet.noneOf(AccessRight.class)));
    }

    @Test
    default void tooMuchMemorySaysNeedAndHave() {
        Fabric fabric = openFabric();
        long need = 1L << 60;
        String message = assertThrows(OutOfArenaMemoryException.class,
                () -> fabric.register(need, EnumSet.noneOf(AccessRight.class))).getMessage();
        assertTrue(message.contains("need " + need) && message.contains("have "), message);
        assertEquals(0, fabric.registeredByteSize());
    }

    @Test
    default void wrongRegistrationsThrow() {
        Fabric fabric = openFabric();
        for (long byteSize : new long[]{0, -1, Long.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class,
                    () -> fabric.register(byteSize, EnumSet.noneOf(AccessRight.class)));
        }
        // ibv_reg_mr(3): remote write and atomic access need local write access.
        for (AccessRight right : new AccessRight[]{AccessRight.REMOTE_WRITE, AccessRight.REMOTE_ATOMIC}) {
            assertThrows(IllegalArgumentException.class, () -> fabric.register(64, EnumSet.of(right)));
        }
    }

    @Test
    default void memoryIsAsAskedOrTheRegionSaysWhyNot() {
        Fabric fabric = openFabric();
        for (PageKind pages : PageKind.values()) {
            AtomicLong committed = new AtomicLong();
            MemoryRegion region = fabric.register(5_000_000, EnumSet.allOf(AccessRight.class),
                    SlabOptions.defaults().withPages(pages).withPrefaultThreads(2)
                            .withPrefaultListener((done, byteSize) -> committed.set(done)));
            assertEquals(region.memory().byteSize(), committed.get());
            assertEquals(pages, region.backing().asked());
            assertEquals(region.backing().pages() == pages, region.backing().reasons().isEmpty());
            assertEquals(0, region.memory().get(ValueLayout.JAVA_BYTE, 4_999_999));
            region.memory().fill((byte) 1);
            region.close();
        }
        assertEquals(0, fabric.registeredByteSize());
    }

    @Test
    default void aNodeThatIsNotThereIsRefused() {
        Fabric fabric = openFabric();
        assertThrows(IllegalArgumentException.class, () -> fabric.register(4096, EnumSet.noneOf(AccessRight.class),
                SlabOptions.defaults().withNumaNode(1023)));
        assertEquals(0, fabric.registeredByteSize());
    }

    @Test
    default void capabilitiesMakeSense() {
        Fabric fabric = openFabric();
        Capabilities capabilities = fabric.capabilities();
        assertTrue(capabilities.depthMax() >= 64, capabilities.toString());
        assertTrue(capabilities.elementCountMax() >= 2, capabilities.toString());
        assertTrue(capabilities.messageByteSizeMax() >= 1 << 20, capabilities.toString());
        assertTrue(capabilities.regionByteSizeMax() >= 1 << 20, capabilities.toString());
        assertFalse(fabric.name().isBlank());
    }
}
