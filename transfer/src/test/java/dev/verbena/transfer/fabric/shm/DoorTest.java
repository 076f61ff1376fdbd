package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Holdings;
import dev.verbena.transfer.fabric.control.ProtocolException;

/** Who knocks, who is let in, and who is not. Abstract names are of this process's number, which no other has. */
class DoorTest {
    private static final int PORT = (int) (ProcessHandle.current().pid() % 60_000);
    private static final InetSocketAddress HERE = new InetSocketAddress("127.9.9.9", PORT);
    private static final int USER = UnixSocket.ownUser();

    private final PeerFiles own = PeerFiles.own();
    private Door door;

    @BeforeEach
    void open() throws IOException {
        door = new Door(HERE, own, USER);
    }

    @AfterEach
    void close() {
        door.close();
        own.close();
    }

    private static String number(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    @Test
    void eachGetsAFolderInWhichTheFilesOfTheOtherAre() throws Exception {
        try (SharedFile file = SharedFile.create(ShmFiles.ofEnvironment(), 4096);
                Door.Knock knock = Door.knock(HERE, own, USER);
                PeerFiles ofVisitor = door.answer(knock.number());
                PeerFiles ofHost = knock.enter()) {
            int fd = file.identity().fd();
            for (PeerFiles files : List.of(ofVisitor, ofHost)) {
                assertTrue(files.folder() != own.folder(), "a descriptor of its own");
                assertEquals("" + fd, number(files.path(fd)));
                SharedMapping.mapPeer(files, file.identity(), 4096).close();
            }
        }
    }

    @Test
    void whoListensEverywhereIsFoundAtEachAddress() throws Exception {
        try (Door everywhere = new Door(new InetSocketAddress(PORT + 1), own, USER);
                Door.Knock knock = Door.knock(new InetSocketAddress("127.8.8.8", PORT + 1), own, USER)) {
            everywhere.answer(knock.number()).close();
            knock.enter().close();
        }
    }

    @Test
    void whereNobodyListensThereIsNoDoor() throws Exception {
        assertNull(Door.knock(new InetSocketAddress("127.9.9.9", PORT + 2), own, USER));
        String message = assertThrows(ProtocolException.class, () -> door.answer(Door.NO_NUMBER)).getMessage();
        assertTrue(message.contains("another network namespace"), message);
    }

    @Test
    void whoHasTheNameHasItAlone() {
        String message = assertThrows(IOException.class, () -> new Door(HERE, own, USER)).getMessage();
        assertTrue(message.contains("bind of verbena-shm/7f090909/" + PORT), message);
    }

    @Test
    void anotherUserIsLetInByNeitherSide() throws Exception {
        String out = assertThrows(ProtocolException.class, () -> Door.knock(HERE, own, USER + 1)).getMessage();
        assertTrue(out.contains("it runs as user " + USER + ", this side as user " + (USER + 1)), out);
        InetSocketAddress there = new InetSocketAddress("127.9.9.9", PORT + 3);
        try (Door others = new Door(there, own, USER + 1); Door.Knock knock = Door.knock(there, own, USER)) {
            String in = assertThrows(ProtocolException.class, () -> others.answer(knock.number())).getMessage();
            assertTrue(in.contains("it runs as user " + USER + ", this side as user " + (USER + 1)), in);
            assertThrows(ProtocolException.class, knock::enter);
        }
    }

    @Test
    void whoHasNotBeenAnsweredHasNothing() throws Exception {
        try (Door.Knock knock = Door.knock(HERE, own, USER)) {
            String message = assertThrows(ProtocolException.class, knock::enter).getMessage();
            assertTrue(message.contains("no descriptor"), message);
            assertThrows(ProtocolException.class, () -> door.answer(knock.number() ^ 1));
            door.answer(knock.number()).close();
            assertThrows(ProtocolException.class, () -> door.answer(knock.number()), "once");
        }
    }

    @Test
    void manyWaitAtOnceAndEachIsFound() throws Exception {
        List<Door.Knock> knocks = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            knocks.add(Door.knock(HERE, own, USER));
        }
        for (Door.Knock each : knocks.reversed()) {
            door.answer(each.number()).close();
            each.enter().close();
            each.close();
        }
        assertFalse(door.isSomebodyWaiting());
    }

    @Test
    void whoHangsUpOrSaysNoHelloIsForgotten() throws Exception {
        Holdings before = Holdings.now();
        for (int i = 0; i < 10; i++) {
            Door.knock(HERE, own, USER).close();
        }
        try (Door.Knock patient = Door.knock(HERE, own, USER)) {
            assertThrows(ProtocolException.class, () -> door.answer(1));
            door.sweep(Long.MAX_VALUE);
            assertTrue(door.isSomebodyWaiting());
            door.answer(patient.number()).close();
            assertFalse(door.isSomebodyWaiting(), "who has hung up");
        }
        try (Door.Knock silent = Door.knock(HERE, own, USER)) {
            assertThrows(ProtocolException.class, () -> door.answer(silent.number() ^ 1));
            door.sweep(0);
            assertFalse(door.isSomebodyWaiting());
        }
        before.assertNothingMore("descriptors of visitors");
    }
}
