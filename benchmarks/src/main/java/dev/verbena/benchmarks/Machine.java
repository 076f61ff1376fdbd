package dev.verbena.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * On what, and beside which versions of others, something was measured.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
public final class Machine {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final String MODEL = "model name";
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable: *(\\d+) kB");

    private Machine() {}

    /** For JSON. */
    public static Map<String, Object> toMap() throws IOException {
        Map<String, Object> machine = new LinkedHashMap<>();
        machine.put("java", System.getProperty("java.vm.name") + " " + Runtime.version());
        machine.put("processors", Runtime.getRuntime().availableProcessors());
        machine.put("model", modelOf(Files.readAllLines(PROCESSORS)));
        machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch"));
        return machine;
    }

    /** Null where the kernel does not say it. */
    static String modelOf(List<String> lines) {
        return lines.stream().filter(line -> line.startsWith(MODEL)).map(line -> line.replaceFirst("^[^:]*: *", ""))
                .findFirst().orElse(null);
    }

    /** Memory that processes may take without others being moved out. */
    public static long availableByteSize() throws IOException {
        Matcher matcher = AVAILABLE.matcher(Files.readString(MEMORY));
        if (!matcher.find()) {
            throw new IllegalStateException(MEMORY + " does not say how much is available");
        }
        return Long.parseLong(matcher.group(1)) << 10;
    }

    /** Of the library that the type comes from, as its jar says; null if it says nothing. */
    public static String versionOf(Class<?> type) {
        return type.getPackage().getImplementationVersion();
    }
}
