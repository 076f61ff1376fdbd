package dev.verbena.training.data;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

import dev.verbena.training.DataException;

/**
 * One file in the IDX format, of unsigned bytes, plain or gzipped (told by its content).
 *
 * <pre>
 *   0         2      3      4             4 + 4 rank
 *   | 00 00 | type | rank | dimensions  | data, row-major ... |     all numbers big-endian; type 08 = unsigned byte
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: Y. LeCun, C. Cortes, <i>The MNIST database</i>, "File formats for the MNIST database".
 *
 * @param file where it was
 * @param dimensions as in the header
 * @param data as many bytes as the product of the dimensions
 */
public record IdxFile(Path file, int[] dimensions, byte[] data) {
    private static final int GZIP_MAGIC = 0x1F8B;
    private static final int ARRAY_MAX = Integer.MAX_VALUE - 8;

    /** What a file of a pair holds. */
    enum Content {
        IMAGES(0x0000_0803, "images"), LABELS(0x0000_0801, "labels");

        final int magic;
        final String noun;

        Content(int magic, String noun) {
            this.magic = magic;
            this.noun = noun;
        }

        int rank() {
            return magic & 0xFF;
        }

        int headerByteSize() {
            return Integer.BYTES * (1 + rank());
        }
    }

    /** @throws DataException on any defect: which file, what is wrong, what was expected */
    static IdxFile read(Path file, Content content) {
        try (InputStream in = open(file)) {
            return read(file, content, in);
        } catch (NoSuchFileException e) {
            throw defect(file, "does not exist");
        } catch (AccessDeniedException e) {
            throw defect(file, "cannot be read: permission denied");
        } catch (EOFException e) {
            throw defect(file, "is a truncated gzip file; expected it to go on");
        } catch (ZipException e) {
            throw defect(file, "is a broken gzip file (" + e.getMessage() + ")");
        } catch (IOException e) {
            throw defect(file, "cannot be read: " + e.getMessage());
        }
    }

    private static InputStream open(Path file) throws IOException {
        InputStream raw = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
        try {
            raw.mark(2);
            int magic = raw.read() << 8 | raw.read();
            raw.reset();
            return magic == GZIP_MAGIC ? new BufferedInputStream(new GZIPInputStream(raw, 1 << 16), 1 << 16) : raw;
        } catch (IOException | RuntimeException e) {
            raw.close();
            throw e;
        }
    }

    private static IdxFile read(Path file, Content content, InputStream in) throws IOException {
        byte[] start = in.readNBytes(content.headerByteSize());
        if (start.length == 0) {
            throw defect(file, "is empty; expected IDX " + content.noun);
        }
        ByteBuffer header = ByteBuffer.wrap(start);
        if (start.length >= Integer.BYTES) {
            checkMagic(file, content, header.getInt());
        }
        if (start.length < content.headerByteSize()) {
            throw defect(file, "is truncated: the header of IDX " + content.noun + " is " + content.headerByteSize()
                    + " bytes, the file has " + start.length);
        }
        int[] dimensions = new int[content.rank()];
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = header.getInt();
        }
        int byteSize = dataByteSize(file, content, dimensions);
        byte[] data = in.readNBytes(byteSize);
        if (data.length < byteSize) {
            throw defect(file, "is truncated: expected " + (start.length + (long) byteSize) + " bytes for "
                    + sizes(dimensions) + " " + content.noun + ", has " + (start.length + (long) data.length));
        }
        if (in.read() >= 0) {
            throw defect(file, "has trailing bytes: expected " + (start.length + (long) byteSize) + " bytes for "
                    + sizes(dimensions) + " " + content.noun + ", has more");
        }
        return new IdxFile(file, dimensions, data);
    }

    private static void checkMagic(Path file, Content content, int magic) {
        if (magic == content.magic) {
            return;
        }
        String expected = ", expected " + content.noun + " with magic 0x%08x".formatted(content.magic);
        for (Content other : Content.values()) {
            if (magic == other.magic) {
                throw defect(file, "is mislabelled: it holds " + other.noun + expected);
            }
        }
        throw defect(file, "is not IDX " + content.noun + ": magic 0x%08x".formatted(magic) + expected);
    }

    private static int dataByteSize(Path file, Content content, int[] dimensions) {
        long byteSize = 1;
        for (int dimension : dimensions) {
            if (dimension == 0) {
                throw defect(file, "holds no " + content.noun + ": its header says " + sizes(dimensions)
                        + ", expected at least one of at least 1x1");
            }
            // At most 2^31 * 2^32 before the check: no overflow.
            byteSize *= Integer.toUnsignedLong(dimension);
            if (byteSize > ARRAY_MAX) {
                throw defect(file, "has absurd dimensions: its header says " + sizes(dimensions) + ", expected at most "
                        + ARRAY_MAX + " bytes");
            }
        }
        long heap = Runtime.getRuntime().maxMemory();
        if (byteSize > heap / 2) {
            throw defect(file, "is too large for this JVM: " + byteSize + " bytes of " + content.noun
                    + ", expected at most half of the heap of " + heap + " bytes; give a larger -Xmx");
        }
        return (int) byteSize;
    }

    private static String sizes(int[] dimensions) {
        return Arrays.stream(dimensions).mapToObj(Integer::toUnsignedString).collect(Collectors.joining("x"));
    }

    private static DataException defect(Path file, String what) {
        return new DataException(file + " " + what);
    }
}
