package dev.verbena.verbs.library;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.Optional;

/**
 * A shared library of rdma-core, opened when it is first needed and never closed, because its providers keep state and
 * threads of their own.
 *
 * <p><b>Owner:</b> none, the library lives as long as the process. <b>Threading:</b> thread-safe.
 *
 * <p>The one place that opens libraries. It opens them by soname through the dynamic linker, as a C program would, so
 * it needs neither a path nor the development package; and a library that is missing is a sentence, not an error that
 * leaves the generated classes unusable.
 */
public final class NativeLibrary {
    public static final NativeLibrary IBVERBS = new NativeLibrary("libibverbs.so.1",
            "libibverbs1 and ibverbs-providers");
    public static final NativeLibrary RDMACM = new NativeLibrary("librdmacm.so.1", "librdmacm1");

    private final String soname;
    private final String debianPackages;
    private SymbolLookup symbols;
    private String problem;

    public NativeLibrary(String soname, String debianPackages) {
        this.soname = soname;
        this.debianPackages = debianPackages;
    }

    /**
     * The address of an exported function, for the generated code; a linkage error, as for any missing native symbol,
     * says what to install.
     */
    public static MemorySegment require(String symbol) {
        NativeLibrary library = symbol.startsWith("rdma_") ? RDMACM : IBVERBS;
        String problem = library.problem(List.of(symbol));
        if (problem != null) {
            throw new UnsatisfiedLinkError(problem);
        }
        return library.find(symbol).orElseThrow();
    }

    /** Null, or one sentence that says why these symbols cannot be called and what to do. */
    public synchronized String problem(List<String> required) {
        open();
        if (problem != null) {
            return problem;
        }
        List<String> missing = required.stream().filter(symbol -> symbols.find(symbol).isEmpty()).toList();
        return missing.isEmpty() ? null
                : "This machine's library=" + soname + " is too old, symbols=" + missing
                        + " are missing: install rdma-core 44 or newer.";
    }

    private synchronized Optional<MemorySegment> find(String symbol) {
        return symbols.find(symbol);
    }

    private void open() {
        if (symbols != null || problem != null) {
            return;
        }
        try {
            symbols = SymbolLookup.libraryLookup(soname, Arena.global());
        } catch (IllegalCallerException refused) {
            problem = "Java refuses native calls, so library=" + soname
                    + " cannot be opened: start java with --enable-native-access=ALL-UNNAMED, or with"
                    + " --enable-native-access=dev.verbena.bindings where Verbena is on the module path.";
        } catch (IllegalArgumentException missing) {
            problem = "RDMA verbs need library=" + soname
                    + ", which the dynamic linker cannot open: install rdma-core (Debian: "
                    + debianPackages + ").";
        }
    }
}
