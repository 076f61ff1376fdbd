package dev.verbena.cli.doctor;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The limits of this process, as the kernel lists them: name, soft limit, hard limit. */
final class ProcessLimits {
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final String FILE = "/proc/self/limits";

    private ProcessLimits() {}

    /** The soft limit of that name; -1 where the system does not say. */
    static long soft(SystemFiles files, String name) {
        Matcher line = Pattern.compile("^" + Pattern.quote(name) + "\\s+(\\S+)", Pattern.MULTILINE)
                .matcher(files.read(FILE));
        if (!line.find()) {
            return -1;
        }
        return line.group(1).equals("unlimited") ? UNLIMITED : Long.parseUnsignedLong(line.group(1));
    }
}
