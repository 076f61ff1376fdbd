package dev.verbena.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** mimalloc by critical calls, which skip the transition between Java and native code: the fastest that FFM has. */
final class MimallocSlots implements Slots {
    private static final SymbolLookup LIBRARY = open(System.getProperty("verbena.mimalloc", "libmimalloc.so.2"));

    /** {@code void *mi_malloc(size_t size);} */
    private static final MethodHandle MALLOC = handle("mi_malloc",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    /** {@code void mi_free(void *p);} */
    private static final MethodHandle FREE = handle("mi_free", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

    private final long[] byteSizes;
    private final long[] addresses;

    MimallocSlots(Workload workload, int slotCount) {
        byteSizes = workload.byteSizes();
        addresses = new long[slotCount];
    }

    @Override
    public void allocate(int slot, int request) {
        try {
            addresses[slot] = (long) MALLOC.invokeExact(byteSizes[request]);
        } catch (Throwable e) {
            throw new AssertionError(e); // C throws nothing
        }
    }

    @Override
    public void free(int slot) {
        try {
            FREE.invokeExact(addresses[slot]);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {}

    private static SymbolLookup open(String library) {
        try {
            return SymbolLookup.libraryLookup(library, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "no library verbena.mimalloc=" + library + ": apt-get install libmimalloc-dev", e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), descriptor,
                Linker.Option.critical(false));
    }
}
