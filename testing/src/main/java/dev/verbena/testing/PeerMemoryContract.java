package dev.verbena.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.PeerMemory;

/** Memory of a peer, mapped; or the answer that it cannot be. */
interface PeerMemoryContract extends ConnectingContract {
    @Test
    default void whatIsWrittenToMappedMemoryIsThere() {
        FabricPair pair = connect();
        MemoryRegion theirs = pair.target.fabric.register(10_000,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE));
        if (!pair.initiator.fabric.capabilities().mapsPeerMemory()) {
            assertThrows(UnsupportedOperationException.class, () -> pair.initiator.connection.mapPeer(theirs.rkey()));
            return;
        }
        try (PeerMemory mapped = pair.initiator.connection.mapPeer(theirs.rkey())) {
            assertEquals(theirs.address(), mapped.address());
            assertTrue(mapped.memory().byteSize() >= theirs.byteSize());
            mapped.memory().set(ValueLayout.JAVA_LONG, 9_992, 42);
            assertEquals(42, theirs.memory().get(ValueLayout.JAVA_LONG, 9_992));
            theirs.memory().set(ValueLayout.JAVA_LONG, 0, 43);
            assertEquals(43, mapped.memory().get(ValueLayout.JAVA_LONG, 0));
        }
    }

    @Test
    default void memoryThatIsNotThereOrNotToBeWrittenIsNotMapped() {
        FabricPair pair = connectMapping();
        MemoryRegion readable = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ));
        MemoryRegion closed = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE));
        closed.close();
        for (long rkey : new long[]{readable.rkey(), closed.rkey(), pair.target.region.rkey() + 1}) {
            String message = assertThrows(TransferException.class, () -> pair.initiator.connection.mapPeer(rkey))
                    .getMessage();
            assertTrue(message.contains("target") && message.contains("rkey=" + rkey), message);
        }
    }

    @Test
    default void mappedMemoryOutlivesTheConnectionAndKeepsThePeerFromBeingQuiet() {
        FabricPair pair = connectMapping();
        MemoryRegion theirs = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE));
        PeerMemory mapped = pair.initiator.connection.mapPeer(theirs.rkey());
        AtomicBoolean isQuiet = new AtomicBoolean();
        pair.initiator.connection.close();
        pair.target.connection.close();
        pair.target.connection.whenQuiet(() -> isQuiet.set(true));
        pair.settle();
        assertFalse(isQuiet.get());
        mapped.memory().set(ValueLayout.JAVA_LONG, 8, 44);
        assertEquals(44, theirs.memory().get(ValueLayout.JAVA_LONG, 8));
        assertThrows(TransferException.class, () -> pair.initiator.connection.mapPeer(theirs.rkey()));
        theirs.close();
        mapped.memory().set(ValueLayout.JAVA_LONG, 8, 45);
        assertEquals(45, mapped.memory().get(ValueLayout.JAVA_LONG, 8));
        mapped.close();
        mapped.close();
        pair.await("the target is quiet", isQuiet::get);
        assertThrows(IllegalStateException.class, () -> mapped.memory().get(ValueLayout.JAVA_LONG, 8));
    }

    @Test
    default void memoryMappedForReadingIsSeenAndNotWritten() {
        FabricPair pair = connect();
        MemoryRegion theirs = pair.target.fabric.register(10_000,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ));
        if (!pair.initiator.fabric.capabilities().mapsPeerMemory()) {
            assertThrows(UnsupportedOperationException.class,
                    () -> pair.initiator.connection.mapPeerForReading(theirs.rkey()));
            return;
        }
        MemoryRegion writable = pair.target.fabric.register(4096,
                EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE));
        String message = assertThrows(TransferException.class,
                () -> pair.initiator.connection.mapPeerForReading(writable.rkey())).getMessage();
        assertTrue(message.contains("target") && message.contains("rkey=" + writable.rkey()), message);
        theirs.memory().set(ValueLayout.JAVA_LONG, 9_992, 42);
        try (PeerMemory mapped = pair.initiator.connection.mapPeerForReading(theirs.rkey())) {
            assertEquals(theirs.address(), mapped.address());
            assertEquals(42, mapped.memory().get(ValueLayout.JAVA_LONG, 9_992));
            theirs.memory().set(ValueLayout.JAVA_LONG, 9_992, 43);
            assertEquals(43, mapped.memory().get(ValueLayout.JAVA_LONG, 9_992));
            assertThrows(IllegalArgumentException.class, () -> mapped.memory().set(ValueLayout.JAVA_LONG, 0, 1));
        }
    }

    private FabricPair connectMapping() {
        FabricPair pair = connect();
        assumeTrue(pair.initiator.fabric.capabilities().mapsPeerMemory(), "the fabric does not map memory of peers");
        return pair;
    }
}
