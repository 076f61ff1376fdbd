package dev.verbena.cli.doctor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.NetworkOptions;
import picocli.CommandLine.Help.Ansi;

/**
 * All findings, and what they come to.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param usable the fabrics that nothing stops
 * @param stopped the fabrics that something stops
 */
public record Diagnosis(List<Finding> findings, List<String> usable, List<String> stopped) {
    private static final List<Check> CHECKS = List.of(new NativeAccessCheck(), new LibraryCheck(),
            new KernelModuleCheck(), new DeviceFileCheck(), new DeviceCheck(), new NatureCheck(), new PortStateCheck(),
            new GidCheck(),
            new MtuCheck(), new ConnectionManagerCheck(), new ChoiceCheck(), new RegionLimitCheck(), new MemlockCheck(),
            new ForkCheck(),
            new OpenFilesCheck(), new SharedMemoryCheck(), new FabricCheck());

    public Diagnosis {
        findings = List.copyOf(findings);
        usable = List.copyOf(usable);
        stopped = List.copyOf(stopped);
    }

    /** Of this machine and process, for a run that registers so much. */
    public static Diagnosis ofThisMachine(NetworkOptions network, long neededByteSize) {
        return of(Machine.ofThisMachine(network, neededByteSize));
    }

    static Diagnosis of(Machine machine) {
        List<Finding> findings = CHECKS.stream().flatMap(check -> check.look(machine).stream()).toList();
        List<String> usable = new ArrayList<>(machine.fabrics().keySet());
        findings.forEach(finding -> usable.removeAll(finding.stops()));
        List<String> stopped = new ArrayList<>(machine.fabrics().keySet());
        stopped.removeAll(usable);
        return new Diagnosis(findings, usable, stopped);
    }

    /** Whether tensors can travel at all. */
    public boolean isUsable() {
        return !usable.isEmpty();
    }

    /** For people: how many findings are how bad and what they come to, then each with what to do, the worst first. */
    public String toText(Ansi ansi) {
        return new DiagnosisText(this, ansi).toString();
    }

    /** How many findings have a status. */
    long count(Status status) {
        return findings.stream().filter(finding -> finding.status() == status).count();
    }

    /** The same for programs. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("usable", usable);
        map.put("stopped", stopped);
        map.put("counts", counts());
        map.put("findings", findings.stream().map(Diagnosis::toMap).toList());
        return map;
    }

    private static Map<String, Object> toMap(Finding finding) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("check", finding.check());
        map.put("status", finding.status().word());
        map.put("seen", finding.seen());
        map.put("remedy", finding.remedy());
        map.put("stops", finding.stops());
        return map;
    }

    private Map<String, Object> counts() {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (Status status : Status.values()) {
            counts.put(status.word(), count(status));
        }
        return counts;
    }
}
