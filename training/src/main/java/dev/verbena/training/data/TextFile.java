package dev.verbena.training.data;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import dev.verbena.training.DataException;

/**
 * The characters (code points) of a file in UTF-8, a byte-order mark at its beginning apart.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure functions.
 */
public final class TextFile {
    private static final int BYTE_SIZE_MAX = Integer.MAX_VALUE - 8;
    /** Of the heap, for each byte of the file: itself, a char and an int. */
    private static final int HEAP_BYTES_PER_BYTE = 1 + Character.BYTES + Integer.BYTES;
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private TextFile() {}

    /** @throws DataException on any defect: which file, what is wrong, what was expected */
    public static int[] read(Path file) {
        byte[] bytes;
        try {
            if (!Files.exists(file)) {
                throw defect(file, "does not exist; expected a text in UTF-8");
            }
            if (!Files.isRegularFile(file)) {
                throw defect(file, "is not a file; expected a text in UTF-8");
            }
            checkSize(file, Files.size(file));
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw defect(file, "cannot be read: " + e);
        }
        int[] text = decode(file, bytes);
        if (text.length == 0) {
            throw defect(file, "is empty; expected a text in UTF-8");
        }
        return text;
    }

    private static void checkSize(Path file, long byteSize) {
        if (byteSize > BYTE_SIZE_MAX) {
            throw defect(file,
                    "has " + byteSize + " bytes; at most " + BYTE_SIZE_MAX + " can be read, train with a part");
        }
        long heap = Runtime.getRuntime().maxMemory();
        if (byteSize > heap / HEAP_BYTES_PER_BYTE) {
            throw defect(file, "is too large for this JVM: its " + byteSize + " bytes take " + HEAP_BYTES_PER_BYTE
                    + " times as many of the heap, which has " + heap + "; give a larger -Xmx");
        }
    }

    private static int[] decode(Path file, byte[] bytes) {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            int at = in.position();
            int line = 1;
            for (int i = 0; i < at; i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            throw defect(file, "is not UTF-8: byte " + at + ", in line " + line + ", is "
                    + "0x%02x".formatted(bytes[at]) + "; convert it, for example by iconv -f latin1 -t utf-8");
        }
        out.flip();
        char[] chars = out.array();
        int from = out.limit() > 0 && chars[0] == BYTE_ORDER_MARK ? 1 : 0;
        int[] text = new int[Character.codePointCount(chars, from, out.limit() - from)];
        int position = from;
        for (int i = 0; i < text.length; i++) {
            text[i] = Character.codePointAt(chars, position, out.limit());
            position += Character.charCount(text[i]);
        }
        return text;
    }

    private static DataException defect(Path file, String what) {
        return new DataException(file + " " + what);
    }
}
