package dev.verbena.verbs;

import static dev.verbena.verbs.AccessFlag.*;
import static dev.verbena.verbs.WorkCompletionStatus.MEMORY_WINDOW_BIND_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.verbs.WorkCompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.rdma_core_h;

/** Memory windows of both types, and what else can become of a memory region. */
@Needs(Need.MEMORY_WINDOWS)
class MemoryWindowOnDevice {
    private static final Set<AccessFlag> WRITE = EnumSet.of(REMOTE_WRITE);

    private final TestDevice device = new TestDevice();
    private final CompletionQueue queue = device.queue();
    private final CompletionQueue ownerQueue = device.queue();
    private final QueuePair pair = device.queuePair(QueuePairType.RELIABLE_CONNECTED, queue);
    /** Whose memory it is. */
    private final QueuePair owner = device.queuePair(QueuePairType.RELIABLE_CONNECTED, ownerQueue);
    private final MemoryRegion source = device.region();
    private final MemoryRegion region = device
            .keep(device.domain.allocate(4096, EnumSet.of(LOCAL_WRITE, MEMORY_WINDOW_BIND)));
    private final SendRequests sends = new SendRequests(1, 1);

    MemoryWindowOnDevice() {
        device.connect(pair, owner);
        TestDevice.put(source, 0, 42);
    }

    @AfterEach
    void close() {
        device.close();
    }

    private MemoryWindow window(MemoryWindowType type) {
        return device.keep(device.domain.allocateMemoryWindow(type));
    }

    private void write(int rkey, long offset, WorkCompletionStatus status) {
        sends.get(0).write(1, region.remoteAddress() + offset, rkey).element(source, 0, 8).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, status);
    }

    private void bindType2(MemoryWindow window, long byteSize, WorkCompletionStatus status) {
        sends.get(0).bind(2, window, region, 1024, byteSize, WRITE).signaled();
        assertEquals(1, owner.post(sends, 0, 1));
        device.expect(ownerQueue, 2, status);
    }

    @Test
    void type1OpensAPartOfARegionUntilItIsBoundToNothing() {
        MemoryWindow window = window(MemoryWindowType.TYPE_1);
        int before = window.rkey();
        owner.bind(3, window, region, 1024, 512, WRITE, true);
        assertEquals(WorkCompletionOpcode.BIND_MEMORY_WINDOW, device.expect(ownerQueue, 3, SUCCESS).opcode(0));
        int rkey = window.rkey();
        assertNotEquals(before, rkey);
        write(rkey, 1024, SUCCESS);
        assertEquals(42, TestDevice.get(region, 1024));
        owner.bind(4, window, region, 0, 0, WRITE, true);
        device.expect(ownerQueue, 4, SUCCESS);
        write(rkey, 1024, REMOTE_ACCESS_ERROR);
    }

    @Test
    void outOfTheRegionsBoundsIsRefused() {
        MemoryWindow window = window(MemoryWindowType.TYPE_1);
        owner.bind(3, window, region, 1024, 512, WRITE, true);
        device.expect(ownerQueue, 3, SUCCESS);
        // Between the window's end and the region's, soft-RoCE of kernel 6.1 does not look.
        write(window.rkey(), 4096, REMOTE_ACCESS_ERROR);
    }

    @Test
    void aWindowToWriteIsNotOneToRead() {
        MemoryWindow window = window(MemoryWindowType.TYPE_1);
        owner.bind(3, window, region, 1024, 512, WRITE, true);
        device.expect(ownerQueue, 3, SUCCESS);
        sends.get(0).read(1, region.remoteAddress() + 1024, window.rkey()).element(source, 0, 8).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 1, REMOTE_ACCESS_ERROR);
    }

    @Test
    void aRegionThatDoesNotAllowWindowsIsABindError() {
        MemoryRegion closed = device.keep(device.domain.allocate(4096, EnumSet.of(LOCAL_WRITE)));
        owner.bind(3, window(MemoryWindowType.TYPE_1), closed, 0, 512, WRITE, true);
        device.expect(ownerQueue, 3, MEMORY_WINDOW_BIND_ERROR);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void type2IsBoundByARequestAndInvalidatedByAnother() {
        MemoryWindow window = window(MemoryWindowType.TYPE_2);
        bindType2(window, 512, SUCCESS);
        int first = window.rkey();
        write(first, 1024, SUCCESS);
        sends.get(0).invalidate(5, first).signaled();
        assertEquals(1, owner.post(sends, 0, 1));
        assertEquals(WorkCompletionOpcode.LOCAL_INVALIDATE, device.expect(ownerQueue, 5, SUCCESS).opcode(0));
        bindType2(window, 512, SUCCESS);
        assertNotEquals(first, window.rkey());
        write(window.rkey(), 1024, SUCCESS);
        write(first, 1024, REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void type2IsInvalidatedByThePeersSend() {
        MemoryWindow window = window(MemoryWindowType.TYPE_2);
        bindType2(window, 512, SUCCESS);
        TestDevice.receive(owner, 31, source, 4096, 64);
        sends.get(0).sendWithInvalidate(6, window.rkey()).element(source, 0, 8).signaled();
        assertEquals(1, pair.post(sends, 0, 1));
        device.expect(queue, 6, SUCCESS);
        WorkCompletions received = device.expect(ownerQueue, 31, SUCCESS);
        // Not its flag: the kernel's soft-RoCE puts its own bit, 4, where user space has 8.
        assertEquals(window.rkey(), received.invalidatedRkey(0));
        write(window.rkey(), 1024, REMOTE_ACCESS_ERROR);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void aWindowBeyondItsRegionIsABindError() {
        bindType2(window(MemoryWindowType.TYPE_2), 8192, MEMORY_WINDOW_BIND_ERROR);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void closingAWindowTakesTheRightsBack() {
        MemoryWindow window = window(MemoryWindowType.TYPE_2);
        bindType2(window, 512, SUCCESS);
        int rkey = window.rkey();
        window.close();
        write(rkey, 1024, REMOTE_ACCESS_ERROR);
        assertThrows(IllegalStateException.class, window::rkey);
    }

    @Test
    void aRegionWithABoundWindowStaysOpenAndSaysWhy() {
        MemoryWindow window = window(MemoryWindowType.TYPE_1);
        owner.bind(3, window, region, 0, 512, WRITE, true);
        device.expect(ownerQueue, 3, SUCCESS);
        VerbsException refused = assertThrows(VerbsException.class, region::close);
        assertTrue(refused.getMessage().contains("close the memory windows that are bound to it"),
                refused.getMessage());
        assertTrue(region.isOpen());
        write(window.rkey(), 0, SUCCESS);
    }

    @Test
    @Needs(Need.MEMORY_WINDOWS_OF_TYPE_2)
    void closedOrForeignOrOfTheOtherTypeIsAnException() {
        MemoryWindow type1 = window(MemoryWindowType.TYPE_1);
        MemoryWindow type2 = window(MemoryWindowType.TYPE_2);
        assertThrows(IllegalArgumentException.class, () -> owner.bind(3, type2, region, 0, 8, WRITE, true));
        assertThrows(IllegalArgumentException.class, () -> sends.get(0).bind(3, type1, region, 0, 8, WRITE));
        sends.get(0).bind(3, type2, region, 0, 8, WRITE);
        try (ProtectionDomain foreign = device.context.allocateProtectionDomain();
                MemoryWindow other = foreign.allocateMemoryWindow(MemoryWindowType.TYPE_1)) {
            assertThrows(IllegalArgumentException.class, () -> owner.bind(3, other, region, 0, 8, WRITE, true));
        }
        type2.close();
        assertThrows(IllegalStateException.class, () -> owner.post(sends, 0, 1));
        type1.close();
        assertThrows(IllegalStateException.class, () -> owner.bind(3, type1, region, 0, 8, WRITE, true));
    }

    @Test
    @Needs(Need.SOFT_ROCE)
    void whatSoftRoceCannotDoWithARegionIsSaidByName() {
        VerbsException rights = assertThrows(VerbsException.class,
                () -> source.changeAccess(EnumSet.of(LOCAL_WRITE)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), rights.errno());
        assertTrue(rights.getMessage().startsWith("ibv_rereg_mr failed: device="), rights.getMessage());
        VerbsException dmabuf = assertThrows(VerbsException.class,
                () -> device.domain.registerDmabuf(0, 0, 4096, 0, EnumSet.of(LOCAL_WRITE)));
        assertEquals(rdma_core_h.EOPNOTSUPP(), dmabuf.errno());
        assertTrue(dmabuf.getMessage().contains("bytes=4096"), dmabuf.getMessage());
    }
}
