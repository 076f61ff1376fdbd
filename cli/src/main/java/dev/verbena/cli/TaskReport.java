package dev.verbena.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.SessionStatistics;
import dev.verbena.training.TrainingResult;

/**
 * How one task ended, as it travels from the task to the launcher.
 *
 * @param residentPeakByteSize the most physical memory the process ever had
 */
record TaskReport(TrainingResult result, long pid, long residentPeakByteSize) {

    /** Of this very process. */
    static TaskReport of(TrainingResult result) {
        return new TaskReport(result, ProcessHandle.current().pid(), ResidentMemory.peakByteSize());
    }

    Map<String, Object> toMap() {
        SessionStatistics session = result.session();
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("task", result.task());
        map.put("pid", pid);
        map.put("maxResidentBytes", residentPeakByteSize);
        map.put("lossCurve", Arrays.stream(result.lossCurve()).mapToObj(JsonLines::nullable).toList());
        map.put("testAccuracy", JsonLines.nullable(result.testAccuracy()));
        map.put("imagesPerSecond", result.imagesPerSecond());
        map.put("registeredBytes", result.registeredByteSize());
        map.put("registrationNs", result.registrationNs());
        map.put("iterations", session.iterations());
        map.put("copiesFirst", session.copiesFirst());
        map.put("copiesLater", session.copiesLater());
        map.put("copiedBytesFirst", session.copiedByteSizeFirst());
        map.put("copiedBytesLater", session.copiedByteSizeLater());
        map.put("transfersStatic", session.transfersStatic());
        map.put("transfersDynamic", session.transfersDynamic());
        map.put("sitesSeen", session.sitesSeen());
        map.put("sitesRegistered", session.sitesRegistered());
        map.put("crossingBytes", session.crossingByteSize());
        map.put("plannedBytes", session.plannedByteSize());
        return map;
    }

    static TaskReport fromMap(Map<String, Object> map) {
        SessionStatistics session = new SessionStatistics(wide(map, "iterations"), wide(map, "copiesFirst"),
                wide(map, "copiesLater"), wide(map, "copiedBytesFirst"), wide(map, "copiedBytesLater"),
                wide(map, "transfersStatic"), wide(map, "transfersDynamic"), (int) wide(map, "sitesSeen"),
                (int) wide(map, "sitesRegistered"), wide(map, "crossingBytes"), wide(map, "plannedBytes"));
        double[] losses = ((List<?>) map.get("lossCurve")).stream().mapToDouble(JsonLines::real).toArray();
        TrainingResult result = new TrainingResult((String) map.get("task"), losses,
                JsonLines.real(map.get("testAccuracy")), JsonLines.real(map.get("imagesPerSecond")), session,
                wide(map, "registeredBytes"), wide(map, "registrationNs"));
        return new TaskReport(result, wide(map, "pid"), wide(map, "maxResidentBytes"));
    }

    private static long wide(Map<String, Object> map, String key) {
        return JsonLines.wide(map.get(key));
    }
}
