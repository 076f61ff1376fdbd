package dev.verbena.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.verbena.verbs.library.NativeLibrary;
import dev.verbena.verbs.ffi.AbiCheck;

/**
 * A library of rdma-core, as this process found it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param soname by which it was looked for
 * @param path where the dynamic linker found it; null where it did not
 * @param problem one sentence that says why it cannot be used and what to do; null where it can
 */
public record VerbsLibrary(String soname, String path, String problem) {
    private static final Path MAPPINGS = Path.of("/proc/self/maps");

    /** Both of them. */
    public static List<VerbsLibrary> all() {
        return List.of(find("libibverbs.so.1", NativeLibrary.IBVERBS), find("librdmacm.so.1", NativeLibrary.RDMACM));
    }

    /** Such as 44.0, which rdma-core writes at the end of its libraries' names; null where the name does not say it. */
    public String release() {
        String[] numbers = path == null ? new String[0] : path.substring(path.lastIndexOf(".so.") + 4).split("\\.");
        return numbers.length < 4 ? null : numbers[2] + "." + numbers[3];
    }

    private static VerbsLibrary find(String soname, NativeLibrary library) {
        String problem = AbiCheck.machineProblem();
        if (problem == null) {
            problem = library.problem(List.of());
        }
        return new VerbsLibrary(soname, problem == null ? mapped(soname) : null, problem);
    }

    /** Its file among those that this process has mapped. */
    private static String mapped(String soname) {
        try (Stream<String> mappings = Files.lines(MAPPINGS)) {
            return mappings.filter(mapping -> mapping.contains("/" + soname))
                    .map(mapping -> mapping.substring(mapping.indexOf('/'))).findFirst().orElse(null);
        } catch (IOException _) {
            return null; // Only where it lies is unknown then.
        }
    }
}
