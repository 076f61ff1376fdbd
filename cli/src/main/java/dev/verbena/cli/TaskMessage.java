package dev.verbena.cli;

import java.util.Map;

import dev.verbena.training.Validation;
import dev.verbena.transfer.Endpoint;

/** What a task tells its launcher, a line each. */
sealed interface TaskMessage {
    /** Its device is up and listens there; now it waits for the addresses of all. */
    record Listening(Endpoint endpoint) implements TaskMessage {}

    /** A worker has done so many iterations; not said of each one. */
    record Progress(int iteration, double loss, double imagesPerSecond) implements TaskMessage {}

    /** The worker that measures has measured what is held out. */
    record Validated(Validation measured) implements TaskMessage {}

    /** It has done all its iterations and keeps its device open until all have. */
    record Finished(TaskReport report) implements TaskMessage {}

    /** It gives up. Bad input is what the user can put right before a start, such as a port in use. */
    record Failed(boolean isBadInput, String sentence) implements TaskMessage {}

    default String toLine() {
        return JsonLines.write(switch (this) {
            case Listening(Endpoint endpoint) -> Map.of("event", "listening", "endpoint", endpoint.toString());
            case Progress(int iteration, double loss, double rate) ->
                Map.of("event", "progress", "iteration", iteration, "loss", loss,
                        "imagesPerSecond", rate);
            case Validated(Validation measured) -> Map.of("event", "validated", "measured", TaskReport.toMap(measured));
            case Finished(TaskReport report) -> Map.of("event", "finished", "report", report.toMap());
            case Failed(boolean isBadInput, String sentence) ->
                Map.of("event", "failed", "badInput", isBadInput, "sentence", sentence);
        });
    }

    /** The message on the line, or null if the line is none. */
    static TaskMessage parse(String line) {
        Map<String, Object> object = JsonLines.read(line);
        if (object == null || !(object.get("event") instanceof String event)) {
            return null;
        }
        return switch (event) {
            case "listening" -> new Listening(Endpoint.parse((String) object.get("endpoint")));
            case "progress" -> new Progress((int) JsonLines.wide(object.get("iteration")),
                    JsonLines.real(object.get("loss")), JsonLines.real(object.get("imagesPerSecond")));
            case "validated" -> new Validated(TaskReport.validation(asMap(object.get("measured"))));
            case "finished" -> new Finished(TaskReport.fromMap(asMap(object.get("report"))));
            case "failed" -> new Failed((Boolean) object.get("badInput"), (String) object.get("sentence"));
            default -> null;
        };
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asMap(Object value) {
        return (Map<String, Object>) value;
    }
}
