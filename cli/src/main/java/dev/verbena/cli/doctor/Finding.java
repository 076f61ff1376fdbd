package dev.verbena.cli.doctor;

import java.util.List;

/**
 * What a check has found.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param check its name
 * @param seen what there is, with figures
 * @param remedy what to do; empty where nothing needs to be done
 * @param stops the fabrics that cannot be used because of it
 */
public record Finding(String check, Status status, String seen, String remedy, List<String> stops) {
    public Finding {
        stops = List.copyOf(stops);
    }

    static Finding ok(String check, String seen) {
        return new Finding(check, Status.OK, seen, "", List.of());
    }

    static Finding warning(String check, String seen, String remedy, String... stops) {
        return new Finding(check, Status.WARNING, seen, remedy, List.of(stops));
    }

    static Finding problem(String check, String seen, String remedy, String... stops) {
        return new Finding(check, Status.PROBLEM, seen, remedy, List.of(stops));
    }
}
