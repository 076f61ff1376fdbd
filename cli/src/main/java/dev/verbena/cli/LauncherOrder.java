package dev.verbena.cli;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.verbena.transfer.Endpoint;

/** What a launcher tells its tasks, a line each. That the lines end is an order too: the launcher is gone, so end at once. */
sealed interface LauncherOrder {
    /** All tasks listen, at these endpoints: train. */
    record Start(Map<String, Endpoint> cluster) implements LauncherOrder {}

    /** Another task is gone and nobody else may have been able to say so: give up. */
    record Abort(String cause) implements LauncherOrder {}

    default String toLine() {
        return JsonLines.write(switch (this) {
            case Start(Map<String, Endpoint> cluster) -> {
                Map<String, String> addresses = new LinkedHashMap<>();
                cluster.forEach((task, endpoint) -> addresses.put(task, endpoint.toString()));
                yield Map.of("order", "start", "cluster", addresses);
            }
            case Abort(String cause) -> Map.of("order", "abort", "cause", cause);
        });
    }

    /** The order on the line, or null if the line is none. */
    static LauncherOrder parse(String line) {
        Map<String, Object> object = JsonLines.read(line);
        if (object == null || !(object.get("order") instanceof String order)) {
            return null;
        }
        return switch (order) {
            case "start" -> {
                Map<String, Endpoint> cluster = new LinkedHashMap<>();
                ((Map<?, ?>) object.get("cluster"))
                        .forEach((task, endpoint) -> cluster.put((String) task, Endpoint.parse((String) endpoint)));
                yield new Start(cluster);
            }
            case "abort" -> new Abort((String) object.get("cause"));
            default -> null;
        };
    }
}
