package dev.verbena.verbs;

import static dev.verbena.verbs.AccessFlag.LOCAL_WRITE;
import static dev.verbena.verbs.AccessFlag.REMOTE_READ;
import static dev.verbena.verbs.AccessFlag.REMOTE_WRITE;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What can be registered, how large, and by whom. */
class MemoryRegionOnDevice {
    private static final long BEYOND_4_GIB = (4L << 30) + (1 << 20);
    private static final Set<AccessFlag> ALL = EnumSet.of(LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);

    private final LoopbackPair pair = new LoopbackPair(QueuePairType.RELIABLE_CONNECTED);

    @AfterEach
    void close() {
        pair.close();
    }

    @Test
    void memoryOfTheCaller() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(100, 1);
            try (MemoryRegion region = pair.domain.register(memory, ALL)) {
                assertEquals(memory.address(), region.remoteAddress());
                assertEquals(100, region.byteSize());
                write(region, 92);
                TestDevice.expectArrived(42, () -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 92));
            }
            memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            assertEquals(1, memory.get(ValueLayout.JAVA_BYTE, 0), "it stays the caller's");
        }
    }

    @Test
    void memoryOfTheRegionGoesWithIt() {
        MemoryRegion region = pair.domain.allocate(10_000, ALL);
        MemorySegment memory = region.memory();
        assertEquals(0, Bytes.sum(memory));
        assertEquals(0, memory.address() % 4096);
        region.close();
        assertThrows(IllegalStateException.class, () -> memory.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whatCannotBeRegistered() {
        assertThrows(IllegalArgumentException.class, () -> pair.domain.allocate(0, ALL));
        assertThrows(IllegalArgumentException.class, () -> pair.domain.allocate(-1, ALL));
        assertThrows(IllegalArgumentException.class,
                () -> pair.domain.register(MemorySegment.ofArray(new byte[64]), ALL));
        assertThrows(IllegalArgumentException.class,
                () -> pair.domain.register(pair.initiator.region.memory().asSlice(0, 0), ALL));
        IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                () -> pair.domain.register(pair.initiator.region.memory().asReadOnly(), ALL));
        assertTrue(refused.getMessage().contains("readOnly=true with access="), refused.getMessage());
    }

    /** A right to write for peers only is none (ibv_reg_mr(3)). */
    @Test
    void aRemoteRightNeedsTheLocalOne() {
        VerbsException refused = assertThrows(VerbsException.class,
                () -> pair.domain.allocate(4096, EnumSet.of(REMOTE_WRITE)));
        assertEquals(22, refused.errno());
    }

    @Test
    void addressesThatAreNotMapped() {
        MemorySegment nowhere = MemorySegment.ofAddress(4096).reinterpret(4096);
        VerbsException refused = assertThrows(VerbsException.class, () -> pair.domain.register(nowhere, ALL));
        assertEquals("ibv_reg_mr", refused.verb());
    }

    @Test
    void theSameMemoryTwiceHasTwoKeys() {
        try (MemoryRegion first = pair.domain.register(pair.target.region.memory(), ALL);
                MemoryRegion second = pair.domain.register(pair.target.region.memory(), EnumSet.of(REMOTE_READ))) {
            assertTrue(first.rkey() != second.rkey(), "rkeys differ");
            write(first, 0);
            TestDevice.expectArrived(42, () -> Bytes.get(pair.target, 0));
        }
    }

    /** Sizes are longs: bytes beyond 4 GiB are reached by their own address, not by its lower 32 bits. */
    @Test
    void moreThanFourGibibytes() throws Throwable {
        try (RepeatedMemory large = new RepeatedMemory(BEYOND_4_GIB);
                MemoryRegion region = pair.domain.register(large.memory, ALL)) {
            assertEquals(BEYOND_4_GIB, region.byteSize());
            write(region, BEYOND_4_GIB - 8);
            TestDevice.expectArrived(42, () -> large.memory.get(ValueLayout.JAVA_LONG, BEYOND_4_GIB - 8));
            assertEquals(0, large.memory.get(ValueLayout.JAVA_LONG, BEYOND_4_GIB - 8 - (4L << 30)));
        }
    }

    /** Root may lock what it likes only with CAP_IPC_LOCK, so the child gives that up, too. */
    @Test
    void tooLowALimitOfLockedMemoryIsNamed() throws Exception {
        Process child = new ProcessBuilder("setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock", "bash", "-c",
                "ulimit -l 64 && exec \"$@\"", "-", Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("java.class.path"),
                LargeRegistration.class.getName()).redirectErrorStream(true).start();
        String said = new String(child.getInputStream().readAllBytes());
        assertEquals(LargeRegistration.REFUSED, child.waitFor(), said);
        assertTrue(said.contains("ibv_reg_mr failed: ") && said.contains("ENOMEM") && said.contains("ulimit -l"), said);
    }

    private void write(MemoryRegion region, long offset) {
        Bytes.put(pair.initiator, 0, 42);
        pair.request().write(1, region.remoteAddress() + offset, region.rkey()).element(pair.initiator.region, 0, 8)
                .signaled();
        pair.post();
        pair.initiator.expect(1, SUCCESS);
    }
}
