package dev.verbena.cli.doctor;

/**
 * What matters of the Java that runs this.
 *
 * @param release such as 25
 * @param isNativeAccessEnabled whether this very program was allowed native calls
 */
record JavaSeen(int release, boolean isNativeAccessEnabled) {
    static JavaSeen now() {
        return new JavaSeen(Runtime.version().feature(), JavaSeen.class.getModule().isNativeAccessEnabled());
    }
}
