package dev.verbena.training.blas;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

import dev.verbena.training.TrainingException;

/**
 * The three BLAS routines that training needs, OpenBLAS's, on off-heap memory as it lies: row-major, dense, float32.
 *
 * <p>One thread unless told otherwise: the sums are then taken in the same order in every process, so that loss curves are the same to the
 * last bit, and several processes share the machine. The calls are ordinary ones, not {@code critical}: a product may
 * take long, and a critical call would hold up every garbage collection meanwhile.
 *
 * <p><b>Owner:</b> the process; loaded once, never unloaded. <b>Threading:</b> thread-safe.
 */
public final class Blas {
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
    /** {@code void cblas_sscal(blasint n, float alpha, float *x, blasint incx)} */
    private static final MethodHandle SSCAL = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.ofVoid(JAVA_INT, JAVA_FLOAT, ADDRESS, JAVA_INT));
    /** {@code void openblas_set_num_threads(int)} */
    private static final MethodHandle SET_NUM_THREADS = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.ofVoid(JAVA_INT));
    /** {@code int openblas_get_num_threads(void)} */
    private static final MethodHandle GET_NUM_THREADS = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.of(JAVA_INT));

    private static volatile Blas loaded;

    private final MemorySegment sgemm;
    private final MemorySegment saxpy;
    private final MemorySegment sscal;
    private final MemorySegment setNumThreads;
    private final MemorySegment getNumThreads;

    private Blas(SymbolLookup library) {
        sgemm = symbol(library, "cblas_sgemm");
        saxpy = symbol(library, "cblas_saxpy");
        sscal = symbol(library, "cblas_sscal");
        setNumThreads = symbol(library, "openblas_set_num_threads");
        getNumThreads = symbol(library, "openblas_get_num_threads");
        useThreads(1);
    }

    private static MemorySegment symbol(SymbolLookup library, String name) {
        return library.find(name).orElseThrow(() -> new TrainingException("OpenBLAS has no function " + name));
    }

    /** The library, loaded at the first call. @throws TrainingException if it cannot be; the message says what to do */
    public static Blas get() {
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
     * Multiplies with so many threads from now on, in the whole process.
     *
     * @throws TrainingException if this library has fewer
     */
    public synchronized void useThreads(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("BLAS threads=" + count + "; give at least 1");
        }
        int used;
        try {
            int before = (int) GET_NUM_THREADS.invokeExact(getNumThreads);
            SET_NUM_THREADS.invokeExact(setNumThreads, count);
            used = (int) GET_NUM_THREADS.invokeExact(getNumThreads);
            if (used != count) {
                SET_NUM_THREADS.invokeExact(setNumThreads, before);
            }
        } catch (Throwable e) {
            throw rethrown(e);
        }
        if (used != count) {
            throw new TrainingException(
                    "OpenBLAS takes " + used + " threads at most here, and was asked for blasThreads="
                            + count + "; give " + used + " or fewer");
        }
    }

    /**
     * {@code c = op(a) * op(b)}: op(a) is m x k, op(b) is k x n, c is m x n; op transposes where asked. Overwrites c whatever
     * was in it.
     *
     * @throws IllegalArgumentException if a dimension exceeds an int, a segment is too small, or c overlaps a or b
     */
    public void multiply(boolean transposeA, boolean transposeB, long m, long n, long k, MemorySegment a,
            MemorySegment b,
            MemorySegment c) {
        multiply(transposeA, transposeB, m, n, k, Matrix.of(a, transposeA ? m : k),
                Matrix.of(b, transposeB ? k : n), Matrix.of(c, n), false);
    }

    /** {@code c += op(a) * op(b)}, otherwise as {@link #multiply}. */
    public void addProduct(boolean transposeA, boolean transposeB, long m, long n, long k, MemorySegment a,
            MemorySegment b,
            MemorySegment c) {
        multiply(transposeA, transposeB, m, n, k, Matrix.of(a, transposeA ? m : k),
                Matrix.of(b, transposeB ? k : n), Matrix.of(c, n), true);
    }

    /**
     * {@code c = op(a) * op(b)}, or {@code c += op(a) * op(b)}, of matrices that are parts of larger ones: op(a) is m x k, op(b) is k x n,
     * c is m x n; op transposes where asked. Unless it adds, it overwrites c whatever was in it.
     *
     * @throws IllegalArgumentException if a dimension exceeds an int, rows are longer than their distance, a segment is too small, or what
     * c spans overlaps what a or b spans
     */
    public void multiply(boolean transposeA, boolean transposeB, long m, long n, long k, Matrix a, Matrix b, Matrix c,
            boolean adds) {
        if (Math.max(m, Math.max(n, k)) > Integer.MAX_VALUE || Math.min(m, Math.min(n, k)) < 0) {
            throw new IllegalArgumentException("matrix product of " + m + "x" + k + " by " + k + "x" + n
                    + ": OpenBLAS takes dimensions from 0 to " + Integer.MAX_VALUE);
        }
        MemorySegment aPart = a.part("a", transposeA ? k : m, transposeA ? m : k);
        MemorySegment bPart = b.part("b", transposeB ? n : k, transposeB ? k : n);
        MemorySegment cPart = c.part("c", m, n);
        checkApart("a", aPart, cPart);
        checkApart("b", bPart, cPart);
        try {
            SGEMM.invokeExact(sgemm, ROW_MAJOR, transposeA ? TRANSPOSE : NO_TRANSPOSE,
                    transposeB ? TRANSPOSE : NO_TRANSPOSE, (int) m, (int) n, (int) k, 1f, aPart, (int) a.stride,
                    bPart, (int) b.stride, adds ? 1f : 0f, cPart, (int) c.stride);
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    /**
     * Where a matrix lies, one row after the other.
     *
     * <p><b>Owner:</b> who owns the memory. <b>Threading:</b> immutable.
     *
     * @param offset of its first element, in floats
     * @param stride from the start of a row to that of the next, in floats
     */
    public record Matrix(MemorySegment memory, long offset, long stride) {
        /** Dense, from the segment's start on. */
        public static Matrix of(MemorySegment memory, long columns) {
            // BLAS wants a stride of at least 1 even where nothing lies there.
            return new Matrix(memory, 0, Math.max(1, columns));
        }

        /** What it spans. C would read and write past the end without a word. */
        private MemorySegment part(String name, long rows, long columns) {
            if (stride < Math.max(1, columns) || stride > Integer.MAX_VALUE || offset < 0) {
                throw new IllegalArgumentException("operand " + name + " has offset=" + offset + " stride=" + stride
                        + " and " + columns + " columns; an offset is 0 or more, a stride from "
                        + Math.max(1, columns) + " to " + Integer.MAX_VALUE);
            }
            long count = rows == 0 || columns == 0 ? 0 : (rows - 1) * stride + columns;
            if (count == 0) {
                return memory.asSlice(0, 0);
            }
            checkSize(name, memory, Math.addExact(offset, count));
            return memory.asSlice(offset * Float.BYTES, count * Float.BYTES);
        }
    }

    /** {@code y += alpha * x}, element by element. */
    public void addScaled(long count, float alpha, MemorySegment x, MemorySegment y) {
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

    /** {@code x *= alpha}, element by element. */
    public void scale(long count, float alpha, MemorySegment x) {
        checkSize("x", x, count);
        try {
            for (long from = 0; from < count; from += VECTOR_MAX) {
                int n = (int) Math.min(VECTOR_MAX, count - from);
                SSCAL.invokeExact(sscal, n, alpha, x.asSlice(from * Float.BYTES), 1);
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
    private static void checkApart(String name, MemorySegment factor, MemorySegment product) {
        if (factor.address() < product.address() + product.byteSize()
                && product.address() < factor.address() + factor.byteSize()) {
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
