package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.Random;

import com.sun.management.ThreadMXBean;

/** Models that are no longer what they were. */
final class Mutations {
    private static final int CHANGES_MAX = 8;
    /** What reading a model of some kilobytes may take, and inferring its shapes. */
    private static final long ALLOCATED_BYTE_SIZE_MAX = 64 << 20;

    private Mutations() {}

    /** The same bytes changed, left out, put in, and put elsewhere. */
    static byte[] mutated(byte[] whole, Random random) {
        byte[] bytes = whole;
        for (int i = random.nextInt(CHANGES_MAX); i >= 0; i--) {
            int at = random.nextInt(bytes.length);
            int length = Math.min(1 + random.nextInt(16), bytes.length - at);
            bytes = bytes.clone();
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                case 2 -> Arrays.fill(bytes, at, at + length, (byte) -1);
                case 3 ->
                    bytes = joined(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, at + length, bytes.length));
                default ->
                    bytes = joined(Arrays.copyOf(bytes, at + length), Arrays.copyOfRange(bytes, at, bytes.length));
            }
            bytes = bytes.length == 0 ? whole : bytes;
        }
        return bytes;
    }

    static byte[] joined(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }

    /** Anything but a result or an {@link OnnxException} comes out of here, as does one that hides a defect. */
    static boolean isRefused(byte[] bytes) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        boolean isRefused = false;
        try {
            ShapeInference.of(TestModel.read(bytes)).infer();
        } catch (OnnxException refusal) {
            isRefused = true;
            assertFalse(refusal.place().isBlank());
            assertTrue(refusal.getMessage().startsWith(refusal.place() + ": "), refusal::getMessage);
            assertFalse(refusal.getCause() instanceof NullPointerException
                    || refusal.getCause() instanceof IndexOutOfBoundsException
                    || refusal.getCause() instanceof ClassCastException
                    || refusal.getCause() instanceof NoSuchElementException, () -> "a defect: " + refusal);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < ALLOCATED_BYTE_SIZE_MAX, "allocated: " + allocated);
        return isRefused;
    }
}
