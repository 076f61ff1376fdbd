package dev.verbena.cli.doctor;

import java.util.List;

/** Whether Java lets native code be called, here and where a user starts it: both fabrics need it. */
final class NativeAccessCheck implements Check {
    private static final String NAME = "native access";
    private static final String FLAG = "--enable-native-access=ALL-UNNAMED";
    /** The first that warns of native calls that nobody allowed, JEP 472. */
    private static final int WARNING_RELEASE = 24;

    @Override
    public List<Finding> look(Machine machine) {
        for (String variable : List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS")) {
            String options = machine.environment().getOrDefault(variable, "");
            if (options.contains("--illegal-native-access=deny") && !options.contains("--enable-native-access=")) {
                return List.of(Finding.warning(NAME, variable + "=" + options + " lets Java refuse native calls",
                        "add " + FLAG + " to " + variable + ", or give it to java where it is started"));
            }
        }
        if (!machine.java().isNativeAccessEnabled()) {
            return List.of(Finding.warning(NAME, "nobody allowed Java " + machine.java().release()
                    + " native calls: it may warn, or refuse", "start java with " + FLAG));
        }
        return List.of(Finding.ok(NAME, "allowed here; a program of yours needs java " + FLAG
                + (machine.java().release() >= WARNING_RELEASE ? ", else it warns, and a later Java refuses" : "")));
    }
}
