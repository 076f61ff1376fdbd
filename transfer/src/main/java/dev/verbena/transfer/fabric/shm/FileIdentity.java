package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a peer must find behind that number among the owner's {@link PeerFiles}, so that a number that was reused in between is noticed.
 *
 * @param fd file descriptor in the owning process
 * @param device of the file system
 * @param inode of the file
 */
record FileIdentity(int fd, long device, long inode) {
    /** Of an open file of this process. */
    static FileIdentity of(int fd) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(Path.of("/proc/self/fd/" + fd), "unix:dev,ino");
        return new FileIdentity(fd, (Long) attributes.get("dev"), (Long) attributes.get("ino"));
    }

    boolean isSameFile(FileIdentity other) {
        return device == other.device && inode == other.inode;
    }
}
