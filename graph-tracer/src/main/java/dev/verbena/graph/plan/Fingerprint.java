package dev.verbena.graph.plan;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;

/** Sixteen hexadecimal digits, the first of a SHA-256, that tell some lines from others. */
final class Fingerprint {
    private static final int BYTE_SIZE = 8;

    private Fingerprint() {}

    static String of(Stream<String> lines) {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
        lines.forEach(line -> digest.update((line + "\n").getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(digest.digest(), 0, BYTE_SIZE);
    }
}
