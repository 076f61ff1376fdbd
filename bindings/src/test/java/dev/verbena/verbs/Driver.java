package dev.verbena.verbs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whose ways a test knows by heart: statuses and holes that only this kernel driver has. */
public enum Driver {
    SOFT_ROCE("rxe"), SOFT_IWARP("Software iWARP stack"), ANOTHER(null);

    /** What the driver writes into the description of each of its devices. */
    private final String description;

    Driver(String description) {
        this.description = description;
    }

    static Driver of(String device) {
        String found;
        try {
            found = Files.readString(Path.of("/sys/class/infiniband", device, "node_desc")).strip();
        } catch (IOException none) {
            return ANOTHER;
        }
        return found.equals(SOFT_ROCE.description) ? SOFT_ROCE
                : found.equals(SOFT_IWARP.description) ? SOFT_IWARP : ANOTHER;
    }
}
