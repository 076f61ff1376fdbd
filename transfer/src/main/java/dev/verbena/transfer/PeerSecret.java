package dev.verbena.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What devices must know to connect to each other: bytes that nobody else can guess, such as those of {@code head -c 32 /dev/urandom}. It
 * signs, and never leaves the process.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class PeerSecret {
    /** Who hears a proof can try secrets until one fits, so it must not be a word. */
    static final int BYTE_SIZE_MIN = 16;
    private static final int BYTE_SIZE_MAX = 4096;
    private static final String ALGORITHM = "HmacSHA256";
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE);

    private final byte[] bytes;

    private PeerSecret(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @throws IllegalArgumentException if it is shorter than 16 bytes, or longer than 4096 */
    public static PeerSecret of(byte[] bytes) {
        if (bytes.length < BYTE_SIZE_MIN || bytes.length > BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("a secret of " + bytes.length + " bytes; give " + BYTE_SIZE_MIN + " to "
                    + BYTE_SIZE_MAX + ", such as those of head -c 32 /dev/urandom");
        }
        return new PeerSecret(bytes.clone());
    }

    /**
     * All that is in the file, but a line feed at its end.
     *
     * @throws IllegalArgumentException if it cannot be read, others may read it, or it is too short; the message says what to do
     */
    public static PeerSecret ofFile(Path path) {
        try {
            Set<PosixFilePermission> given = Files.getPosixFilePermissions(path);
            given.retainAll(OTHERS);
            if (!given.isEmpty()) {
                throw new IllegalArgumentException("secret file " + path + " is open to other users: chmod 600 it");
            }
            if (Files.size(path) > BYTE_SIZE_MAX + 1) {
                throw new IllegalArgumentException(
                        "secret file " + path + " has more than " + BYTE_SIZE_MAX + " bytes");
            }
            byte[] all = Files.readAllBytes(path);
            int byteSize = all.length > 0 && all[all.length - 1] == '\n' ? all.length - 1 : all.length;
            return of(Arrays.copyOf(all, byteSize));
        } catch (IOException e) {
            throw new IllegalArgumentException("secret file " + path + " cannot be read: " + e, e);
        }
    }

    /** HMAC-SHA-256 (RFC 2104) of all the parts, one behind the other. They are left as they are. */
    public byte[] sign(ByteBuffer... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            for (ByteBuffer part : parts) {
                mac.update(part.duplicate());
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has " + ALGORITHM, e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PeerSecret secret && MessageDigest.isEqual(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return bytes.length;
    }

    /** Says nothing of it. */
    @Override
    public String toString() {
        return "secret";
    }
}
