package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.LOCAL_PROTECTION_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.REMOTE_ACCESS_ERROR;
import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static dev.verbena.transfer.spi.CompletionStatus.WORK_REQUEST_FLUSHED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/** The fabric copies in pieces, one for each post or poll; here something happens between two of them. */
@Timeout(60)
class ShmMidTransferTest {
    private static final long BYTE_SIZE = 20 << 20;

    private FabricPair pair;
    private MemoryRegion from;
    private MemoryRegion to;

    @BeforeEach
    void connect() {
        pair = new FabricPair(ShmFabricContractTest.openShm(), ShmFabricContractTest.openShm(),
                FabricPair.Options.DEFAULT.withQueuePairs(2));
        from = pair.initiator.fabric.register(BYTE_SIZE, EnumSet.allOf(AccessRight.class));
        to = pair.target.fabric.register(BYTE_SIZE, EnumSet.allOf(AccessRight.class));
        from.memory().fill((byte) 1);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private WorkRequest large(long id, Opcode opcode) {
        return pair.initiator.request(id, opcode).element(from, 0, BYTE_SIZE).remote(to.address(), to.rkey());
    }

    @Test
    void aSmallRequestOvertakesALargeOneOfAnotherQueuePair() {
        WorkRequest small = pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 0);
        assertEquals(1, pair.initiator.queuePair().post(large(1, Opcode.WRITE)));
        assertEquals(1, pair.initiator.connection.queuePairs().get(1).post(small));
        pair.next(pair.initiator, 2, SUCCESS);
        pair.next(pair.initiator, 1, SUCCESS);
        assertEquals(-1, from.memory().mismatch(to.memory()));
    }

    @Test
    void aReceiveThatThePeerIsFillingIsNotGivenBackBeforeItHasEnded() {
        QueuePair queuePair = pair.target.queuePair();
        assertTrue(queuePair.postReceive(31, to, 0, BYTE_SIZE));
        assertTrue(queuePair.postReceive(32, to, 0, BYTE_SIZE));
        assertEquals(1, pair.initiator.queuePair().post(large(1, Opcode.SEND)));
        queuePair.fail("enough");
        for (int i = 0; i < 10; i++) {
            assertEquals(0, pair.target.poll(8), "the peer still writes into it");
        }
        pair.next(pair.initiator, 1, WORK_REQUEST_FLUSHED);
        pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
        pair.next(pair.target, 32, WORK_REQUEST_FLUSHED);
        assertEquals(0, to.memory().get(java.lang.foreign.ValueLayout.JAVA_BYTE, BYTE_SIZE - 1));
    }

    @Test
    void aTargetThatIsDeregisteredIsAnAccessError() {
        assertEquals(1, pair.initiator.queuePair().post(large(1, Opcode.WRITE)));
        to.close();
        Done done = pair.next(pair.initiator, 1, REMOTE_ACCESS_ERROR);
        assertTrue(done.cause().contains("deregistered"), done.cause());
    }

    @Test
    void aReceiveWhoseRegionIsDeregisteredFailsBothSides() {
        assertTrue(pair.target.queuePair().postReceive(31, to, 0, BYTE_SIZE));
        assertEquals(1, pair.initiator.queuePair().post(large(1, Opcode.SEND)));
        to.close();
        pair.next(pair.initiator, 1, REMOTE_ACCESS_ERROR);
        Done done = pair.next(pair.target, 31, WORK_REQUEST_FLUSHED);
        assertTrue(done.cause().contains("deregistered"), done.cause());
    }

    /** Whoever may map a file of the program's may truncate it; the kernel then raises SIGBUS in those that touch it. */
    @ParameterizedTest
    @EnumSource(names = {"WRITE", "READ"})
    void aTargetWhoseFileIsTruncatedFailsTheRequestAndNothingElse(Opcode opcode) throws IOException {
        MemoryRegion cut;
        Path path = Files.createTempFile(Path.of("/dev/shm"), "verbena", null);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            Files.delete(path);
            cut = pair.target.fabric.importMemory(
                    new ForeignMemory.Host(file.map(FileChannel.MapMode.READ_WRITE, 0, BYTE_SIZE, Arena.ofAuto())),
                    EnumSet.allOf(AccessRight.class));
            pair.run(pair.initiator.request(7, Opcode.WRITE).element(from, 0, 8).remote(cut.address(), cut.rkey()),
                    SUCCESS);
            file.truncate(0);
        }
        pair.initiator.queuePair().post(
                pair.initiator.request(1, opcode).element(from, 0, BYTE_SIZE).remote(cut.address(), cut.rkey()));
        Done done = pair.next(pair.initiator, 1, REMOTE_ACCESS_ERROR);
        assertTrue(done.cause().contains("truncated"), done.cause());
        QueuePair other = pair.initiator.connection.queuePairs().get(1);
        assertEquals(1, other.post(pair.initiator.request(2, Opcode.WRITE, 0, 8, pair.target, 0)));
        pair.next(pair.initiator, 2, SUCCESS);
    }

    /** A region that the fabric has made is sealed. */
    @Test
    void noRegionIsTruncated() throws IOException {
        long byteSize = BYTE_SIZE + 4096 * 1237;
        MemoryRegion sealed = pair.target.fabric.register(byteSize, EnumSet.allOf(AccessRight.class));
        assertThrowsWhenTruncated(byteSize);
        pair.run(pair.initiator.request(1, Opcode.WRITE).element(from, 0, BYTE_SIZE).remote(sealed.address(),
                sealed.rkey()), SUCCESS);
    }

    /** The shared file of that size. */
    private static void assertThrowsWhenTruncated(long byteSize) throws IOException {
        int count = 0;
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path each : descriptors.toList()) {
                if (Files.isRegularFile(each) && Files.size(each) == byteSize) {
                    try (FileChannel file = FileChannel.open(each, StandardOpenOption.WRITE)) {
                        assertThrows(IOException.class, () -> file.truncate(0));
                        count++;
                    }
                }
            }
        }
        assertEquals(1, count);
    }

    @Test
    void aSourceThatIsClosedIsAProtectionError() {
        assertEquals(1, pair.initiator.queuePair().post(large(1, Opcode.WRITE)));
        from.close();
        pair.next(pair.initiator, 1, LOCAL_PROTECTION_ERROR);
    }

    @Test
    void closingUnderAPollerIsSafe() throws InterruptedException {
        AtomicBoolean isStopped = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread poller = Thread.ofPlatform().start(() -> {
            try {
                while (!isStopped.get()) {
                    pair.target.poll(8);
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        for (int i = 1; i <= 200; i++) {
            var connection = pair.initiator.fabric.connect(pair.target.endpoint, pair.initiator.queuePairOptions(2),
                    20_000_000_000L);
            int accepted = i + 1;
            FabricPair.await("it is accepted", () -> pair.target.accepted.size() == accepted, () -> {});
            WorkRequest write = pair.initiator.request(i, Opcode.WRITE, 0, 8, pair.target, 0);
            assertEquals(1, connection.queuePairs().getFirst().post(write));
            pair.target.accepted.get(i).close();
            connection.close();
        }
        isStopped.set(true);
        poller.join();
        assertNull(failure.get());
    }
}
