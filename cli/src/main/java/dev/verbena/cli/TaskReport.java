package dev.verbena.cli;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.run.SessionStatistics;
import dev.verbena.training.IterationTimes;
import dev.verbena.training.TrainingResult;
import dev.verbena.training.Validation;

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
        map.put("testPerplexity", JsonLines.nullable(result.testPerplexity()));
        map.put("imagesPerSecond", result.imagesPerSecond());
        map.put("registeredBytes", result.registeredByteSize());
        map.put("registrationNs", result.registrationNs());
        map.put("iterations", session.iterations());
        map.put("copiesFirst", session.copiesFirst());
        map.put("copiesLater", session.copiesLater());
        map.put("copiedBytesFirst", session.copiedByteSizeFirst());
        map.put("copiedBytesLater", session.copiedByteSizeLater());
        map.put("transfersStatic", session.transfersStatic());
        map.put("transfersPlaced", session.transfersPlaced());
        map.put("transfersDynamic", session.transfersDynamic());
        map.put("sitesSeen", session.sitesSeen());
        map.put("sitesRegistered", session.sitesRegistered());
        map.put("crossingBytes", session.crossingByteSize());
        map.put("plannedBytes", session.plannedByteSize());
        map.put("hadTrace", result.hadTrace());
        map.put("validations", result.validations().stream().map(TaskReport::toMap).toList());
        map.put("timedIterations", result.times().iterations());
        map.put("computing", toMap(result.times().computing()));
        map.put("copying", toMap(result.times().copying()));
        map.put("waiting", toMap(result.times().waiting()));
        map.put("iterationsPerPoint", result.times().iterationsPerPoint());
        return map;
    }

    static Map<String, Object> toMap(Validation measured) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("iteration", measured.iteration());
        map.put("accuracy", JsonLines.nullable(measured.accuracy()));
        map.put("perplexity", JsonLines.nullable(measured.perplexity()));
        return map;
    }

    static Validation validation(Map<?, ?> map) {
        return new Validation((int) JsonLines.wide(map.get("iteration")), JsonLines.real(map.get("accuracy")),
                JsonLines.real(map.get("perplexity")));
    }

    private static Map<String, Object> toMap(IterationTimes.Share share) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("totalNs", share.totalNs());
        map.put("p50Ns", share.p50Ns());
        map.put("p99Ns", share.p99Ns());
        map.put("maxNs", share.maxNs());
        map.put("pointsNs", Arrays.stream(share.pointsNs()).boxed().toList());
        return map;
    }

    private static IterationTimes.Share share(Object object) {
        Map<?, ?> map = (Map<?, ?>) object;
        return new IterationTimes.Share(JsonLines.wide(map.get("totalNs")), JsonLines.wide(map.get("p50Ns")),
                JsonLines.wide(map.get("p99Ns")), JsonLines.wide(map.get("maxNs")),
                ((List<?>) map.get("pointsNs")).stream().mapToLong(JsonLines::wide).toArray());
    }

    static TaskReport fromMap(Map<String, Object> map) {
        SessionStatistics session = new SessionStatistics(wide(map, "iterations"), wide(map, "copiesFirst"),
                wide(map, "copiesLater"), wide(map, "copiedBytesFirst"), wide(map, "copiedBytesLater"),
                wide(map, "transfersStatic"), wide(map, "transfersPlaced"), wide(map, "transfersDynamic"),
                (int) wide(map, "sitesSeen"),
                (int) wide(map, "sitesRegistered"), wide(map, "crossingBytes"), wide(map, "plannedBytes"));
        double[] losses = ((List<?>) map.get("lossCurve")).stream().mapToDouble(JsonLines::real).toArray();
        TrainingResult result = new TrainingResult((String) map.get("task"), losses,
                JsonLines.real(map.get("testAccuracy")), JsonLines.real(map.get("testPerplexity")),
                JsonLines.real(map.get("imagesPerSecond")), session,
                wide(map, "registeredBytes"), wide(map, "registrationNs"), (Boolean) map.get("hadTrace"),
                new IterationTimes((int) wide(map, "timedIterations"), share(map.get("computing")),
                        share(map.get("copying")), share(map.get("waiting")),
                        (int) wide(map, "iterationsPerPoint")),
                ((List<?>) map.get("validations")).stream().map(each -> validation((Map<?, ?>) each)).toList());
        return new TaskReport(result, wide(map, "pid"), wide(map, "maxResidentBytes"));
    }

    private static long wide(Map<String, Object> map, String key) {
        return JsonLines.wide(map.get(key));
    }
}
