package dev.verbena.training;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * The two BLAS routines that training needs, OpenBLAS's, on off-heap memory as it lies: row-major, dense, float32.
 *
 * <p>One thread always: the sums are then taken in the same order in every process, so that loss curves are the same to the
 * last bit, and several processes share the machine. The calls are ordinary ones, not {@code critical}: a product may
 * take long, and a critical call would hold up every garbage collection meanwhile.
 *
 * <p><b>Owner:</b> the process; loaded once, never unloaded. <b>Threading:</b> thread-safe.
 */
final class Blas {
    // enum CBLAS_ORDER { CblasRowMajor=101, ... }; enum CBLAS_TRANSPOSE { CblasNoTrans=111, CblasTrans=112, ... }
    private static final int ROW_MAJOR = 101;
    private static final int NO_TRANSPOSE = 111;
    private static final int TRANSPOSE = 112;

    /** Longest vector of one call: the routines count in int. */
    private static final long VECTOR_MAX = 1 << 30;

    // The function's address is the first argument: the handles are constants for the compiler although the library is
    // loaded late, where its absence can be reported.

    /**
     * {@code void cblas_sgemm(enum CBLAS_ORDER, enum CBLAS_TRANSPOSE a, enum CBLAS_TRANSPOSE b, blasint m, blasint n,
     * blasint k, float alpha, const float *a, blasint lda, const float *b, blasint ldb, float beta, float *c, blasint ldc)}
     */
    private static final MethodHandle SGEMM = Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(JAVA_INT,
            JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_FLOAT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT,
            JAVA_FLOAT, ADDRESS, JAVA_INT));
    /** {@code void cblas_saxpy(blasint n, float alpha, const float *x, blasint incx, float *y, blasint incy)} */
    private static final MethodHandle SAXPY = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.ofVoid(JAVA_INT, JAVA_FLOAT, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
    /** {@code void openblas_set_num_threads(int)} */
    private static final MethodHandle SET_NUM_THREADS = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.ofVoid(JAVA_INT));

    private static volatile Blas loaded;

    private final MemorySegment sgemm;
    private final MemorySegment saxpy;

    private Blas(SymbolLookup library) {
        sgemm = symbol(library, "cblas_sgemm");
        saxpy = symbol(library, "cblas_saxpy");
        MemorySegment setNumThreads = symbol(library, "openblas_set_num_threads");
        try {
            SET_NUM_THREADS.invokeExact(setNumThreads, 1);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    private static MemorySegment symbol(SymbolLookup library, String name) {
        return library.find(name).orElseThrow(() -> new IllegalStateException("OpenBLAS has no function " + name));
    }

    /** The library, loaded at the first call. @throws IllegalStateException if it cannot be; the message says what to do */
    static Blas get() {
        Blas blas = loaded;
        return blas != null ? blas : load();
    }

    private static synchronized Blas load() {
        if (loaded == null) {
            loaded = new Blas(OpenBlasLibrary.load());
        }
        return loaded;
    }

    /**
     * {@code c = op(a) * op(b)}: op(a) is m x k, op(b) is k x n, c is m x n; op transposes where asked. Overwrites c whatever
     * was in it.
     *
     * @throws IllegalArgumentException if a dimension exceeds an int, a segment is too small, or c overlaps a or b
     */
    void multiply(boolean transposeA, boolean transposeB, long m, long n, long k, MemorySegment a, MemorySegment b,
            MemorySegment c) {
        if (Math.max(m, Math.max(n, k)) > Integer.MAX_VALUE || Math.min(m, Math.min(n, k)) < 0) {
            throw new IllegalArgumentException("matrix product of " + m + "x" + k + " by " + k + "x" + n
                    + ": OpenBLAS takes dimensions from 0 to " + Integer.MAX_VALUE);
        }
        checkSize("a", a, m * k);
        checkSize("b", b, k * n);
        checkSize("c", c, m * n);
        checkApart("a", a, m * k, c, m * n);
        checkApart("b", b, k * n, c, m * n);
        // A leading dimension is the length of a row as it lies in memory, and at least 1 even where nothing lies there.
        int lda = (int) Math.max(1, transposeA ? m : k);
        int ldb = (int) Math.max(1, transposeB ? k : n);
        int ldc = (int) Math.max(1, n);
        try {
            SGEMM.invokeExact(sgemm, ROW_MAJOR, transposeA ? TRANSPOSE : NO_TRANSPOSE,
                    transposeB ? TRANSPOSE : NO_TRANSPOSE, (int) m, (int) n, (int) k, 1f, a, lda, b, ldb, 0f, c, ldc);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    /** {@code y += alpha * x}, element by element. */
    void addScaled(long count, float alpha, MemorySegment x, MemorySegment y) {
        checkSize("x", x, count);
        checkSize("y", y, count);
        try {
            for (long from = 0; from < count; from += VECTOR_MAX) {
                int n = (int) Math.min(VECTOR_MAX, count - from);
                long offset = from * Float.BYTES;
                SAXPY.invokeExact(saxpy, n, alpha, x.asSlice(offset), 1, y.asSlice(offset), 1);
            }
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    /** C would read and write past the end without a word. */
    private static void checkSize(String name, MemorySegment segment, long elementCount) {
        if (elementCount < 0 || segment.byteSize() / Float.BYTES < elementCount) {
            throw new IllegalArgumentException(
                    "operand " + name + " has " + segment.byteSize() + " bytes; " + elementCount
                            + " floats are needed");
        }
    }

    /** BLAS forbids it: some kernels have written to the product before they read a factor for the last time, others not. */
    private static void checkApart(String name, MemorySegment factor, long factorCount, MemorySegment product,
            long productCount) {
        if (factor.address() < product.address() + productCount * Float.BYTES
                && product.address() < factor.address() + factorCount * Float.BYTES) {
            throw new IllegalArgumentException("operand c overlaps operand " + name
                    + ": a product cannot be written over its factors; give it memory of its own");
        }
    }

    /** Lets FFM's own use-after-close checks through. */
    private static RuntimeException rethrown(Throwable e) {
        if (e instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (e instanceof Error error) {
            throw error;
        }
        throw new AssertionError(e);
    }
}
