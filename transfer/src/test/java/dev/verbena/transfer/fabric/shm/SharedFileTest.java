package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Setting;

class SharedFileTest {
    private static final ShmFiles FILES = ShmFiles.ofEnvironment();
    private static final PeerFiles OWN = PeerFiles.own();

    @TempDir
    Path directory;

    @Test
    void twoMappingsAreTheSameMemory() throws PeerFileException {
        try (SharedFile file = SharedFile.create(FILES, 10_000);
                SharedMapping peer = SharedMapping.mapPeer(OWN, file.identity(), 10_000)) {
            file.memory().set(JAVA_LONG, 4096, 77);
            assertEquals(77, peer.memory().get(JAVA_LONG, 4096));
            assertEquals(10_000, peer.memory().byteSize());
        }
    }

    /** So that nothing is left to be done at the first use; large ones are mapped in pieces, the last of which is any size. */
    @ParameterizedTest
    @ValueSource(longs = {1, 10_000, 16 << 20, (16 << 20) + 1, (48 << 20) - 4095})
    void allPagesAreThere(long byteSize) throws IOException {
        try (SharedFile file = SharedFile.create(FILES, byteSize)) {
            long pages = (byteSize + 4095) / 4096;
            assertEquals(pages * 4, residentKib(file.memory().address()));
            assertEquals(0, file.memory().get(JAVA_BYTE, byteSize - 1));
        }
    }

    /** Who is interrupted gets its memory all the same, and stays interrupted. */
    @Test
    void aLargeFileIsMadeOnAnInterruptedThread() {
        Thread.currentThread().interrupt();
        try (SharedFile file = SharedFile.create(FILES, 40 << 20)) {
            assertTrue(Thread.interrupted());
            file.memory().set(JAVA_LONG, (40 << 20) - 8, 77);
            assertEquals(77, file.memory().get(JAVA_LONG, (40 << 20) - 8));
        }
    }

    private static long residentKib(long address) throws IOException {
        String begin = Long.toHexString(address) + "-";
        List<String> lines = Files.readAllLines(Path.of("/proc/self/smaps"));
        int mapping = 0;
        while (!lines.get(mapping).replaceFirst("^0+", "").startsWith(begin)) {
            mapping++;
        }
        return lines.subList(mapping, lines.size()).stream().filter(line -> line.startsWith("Rss:")).findFirst()
                .map(line -> Long.parseLong(line.replaceAll("\\D", ""))).orElseThrow();
    }

    /** Not only for Java: a native call through its address must not write either. */
    @Test
    void whatAPeerMustOnlySeeItCannotWrite() throws PeerFileException, IOException {
        try (SharedFile file = SharedFile.create(FILES, 4096);
                SharedMapping peer = SharedMapping.mapPeer(OWN, file.identity(), 4096, false, false)) {
            file.memory().set(JAVA_LONG, 0, 77);
            assertEquals(77, peer.memory().get(JAVA_LONG, 0));
            assertThrows(IllegalArgumentException.class, () -> peer.memory().set(JAVA_LONG, 0, 1));
            String start = Long.toHexString(peer.memory().address()) + "-";
            String mapping = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .map(line -> line.replaceFirst("^0+", "")).filter(line -> line.startsWith(start)).findFirst()
                    .orElseThrow();
            assertTrue(mapping.contains(" r--s "), mapping);
        }
    }

    /** Whoever has it open may write it, and would end all who have it mapped by SIGBUS if he could shorten it. */
    @Test
    void nobodyChangesTheSizeOfASealedFile() throws Exception {
        try (SharedFile file = SharedFile.create(FILES, 10_000);
                SharedMapping peer = SharedMapping.mapPeer(OWN, file.identity(), 10_000, true, true);
                FileChannel channel = FileChannel.open(Path.of("/proc/self/fd/" + file.identity().fd()), READ,
                        WRITE)) {
            assertThrows(IOException.class, () -> channel.truncate(100));
            assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1), 1 << 20));
            channel.write(ByteBuffer.allocate(8).putLong(0, Long.reverseBytes(77)), 8_192);
            assertEquals(77, peer.memory().get(JAVA_LONG, 8_192));
        }
    }

    @Test
    void aFileThatCouldBeShortenedIsRefusedWhereSealsAreWanted() throws PeerFileException {
        try (SharedFile file = SharedFile.create(new ShmFiles(Path.of("/dev/shm")), 10_000)) {
            PeerFileException e = assertThrows(PeerFileException.class,
                    () -> SharedMapping.mapPeer(OWN, file.identity(), 10_000, true, true));
            assertTrue(e.getMessage().contains("is not sealed") && e.getMessage().contains("VERBENA_SHM_DIR"),
                    e.getMessage());
            SharedMapping.mapPeer(OWN, file.identity(), 10_000, true, false).close();
        }
    }

    @Test
    void thePeersMappingOutlivesTheFile() throws PeerFileException {
        SharedFile file = SharedFile.create(FILES, 4096);
        try (SharedMapping peer = SharedMapping.mapPeer(OWN, file.identity(), 4096)) {
            file.close();
            file.close();
            assertThrows(IllegalStateException.class, () -> file.memory().get(JAVA_LONG, 0));
            assertEquals(0, peer.memory().get(JAVA_LONG, 0));
        }
    }

    @Test
    void anotherFileOfThatNumberIsNoticed() {
        try (SharedFile file = SharedFile.create(FILES, 4096)) {
            FileIdentity told = new FileIdentity(file.identity().fd(), file.identity().device(),
                    file.identity().inode() + 1);
            String message = assertThrows(PeerFileException.class, () -> SharedMapping.mapPeer(OWN, told, 4096))
                    .getMessage();
            assertTrue(message.contains("not the file that the peer means"), message);
        }
    }

    @Test
    void aFileThatIsTooSmallIsNoticed() {
        try (SharedFile file = SharedFile.create(FILES, 4096)) {
            String message = assertThrows(PeerFileException.class,
                    () -> SharedMapping.mapPeer(OWN, file.identity(), 4097)).getMessage();
            assertTrue(message.contains("4097"), message);
        }
    }

    @Test
    void aFileThatIsClosedIsNoticed() {
        PeerFileException e = assertThrows(PeerFileException.class,
                () -> SharedMapping.mapPeer(OWN, new FileIdentity(Integer.MAX_VALUE, 1, 1), 4096));
        assertEquals(Libc.ENOENT, e.errno());
        // What the C library says is in the user's language.
        assertTrue(e.getMessage().contains("(errno=" + Libc.ENOENT + ")") && e.getMessage().contains("closed it"),
                e.getMessage());
    }

    @Test
    void tooLittleMemorySaysNeedAndHave() {
        String message = assertThrows(OutOfArenaMemoryException.class, () -> SharedFile.create(FILES, 1L << 50))
                .getMessage();
        assertTrue(message.contains("need " + (1L << 50)) && message.contains(FILES.place()), message);
    }

    @Test
    void aDirectoryThatIsNoneIsSaidToBe() {
        ShmFiles none = new ShmFiles(directory.resolve("none"));
        assertTrue(none.unavailableReason().contains("VERBENA_SHM_DIR"), none.unavailableReason());
        String noFiles = new ShmFiles(Path.of("/proc/self")).unavailableReason();
        assertTrue(noFiles.contains("errno="), noFiles);
        assertThrows(TransferException.class, () -> SharedFile.allocate(none, 4096));
        assertNull(FILES.unavailableReason());
    }

    @Test
    void theProviderSaysWhyItCannot() {
        assertTrue(ShmFabricProvider.unavailableReason("Mac OS X", "aarch64", FILES).contains("Mac OS X"));
        assertTrue(ShmFabricProvider.unavailableReason("Linux", "s390x", FILES).contains("s390x"));
        assertNull(ShmFabricProvider.unavailableReason("Linux", "amd64", FILES));
        assertNull(new ShmFabricProvider().unavailableReason(NetworkOptions.defaults()));
    }

    @Test
    void theFolderIsSaidWithItsReason() {
        Setting folder = new ShmFiles(Path.of("/mnt/tensors")).toSetting();
        assertEquals(new Setting("folder", "/mnt/tensors",
                "VERBENA_SHM_DIR names it; nothing keeps a peer from shortening files there"), folder);
        Setting byDefault = ShmFiles.ofEnvironment().toSetting();
        assertEquals("sealed", byDefault.value(), byDefault.reason());
    }
}
