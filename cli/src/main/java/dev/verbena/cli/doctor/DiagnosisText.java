package dev.verbena.cli.doctor;

import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Stream;

import picocli.CommandLine.Help.Ansi;

/** A diagnosis for people: what it comes to, then the findings with what to do, the worst first. */
record DiagnosisText(Diagnosis diagnosis, Ansi ansi) {
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder().append(counts()).append('\n').append(fabrics()).append("\n\n");
        worstFirst().forEach(finding -> append(text, finding));
        return text.toString();
    }

    private String counts() {
        return "findings: " + inColour(Status.OK, diagnosis.count(Status.OK) + " ok") + ", "
                + counted(Status.WARNING) + ", " + counted(Status.PROBLEM);
    }

    private String counted(Status status) {
        long count = diagnosis.count(status);
        String words = count + " " + status.word() + (count == 1 ? "" : "s");
        return count == 0 ? words : inColour(status, words);
    }

    private String fabrics() {
        if (!diagnosis.isUsable()) {
            return "no fabric can be used";
        }
        return "usable: " + String.join(", ", diagnosis.usable())
                + (diagnosis.stopped().isEmpty() ? "" : "; not usable: " + String.join(", ", diagnosis.stopped()));
    }

    private Stream<Finding> worstFirst() {
        return diagnosis.findings().stream().sorted(Comparator.comparing(Finding::status).reversed());
    }

    private void append(StringBuilder text, Finding finding) {
        text.append(line(inColour(finding.status(), column(finding.status().word())), finding.check(), finding.seen()));
        if (!finding.remedy().isEmpty()) {
            text.append(line(column(""), "", "-> " + finding.remedy()));
        }
    }

    private static String column(String status) {
        return String.format(Locale.ROOT, "%-8s", status);
    }

    private static String line(String status, String check, String text) {
        return String.format(Locale.ROOT, "%s %-14s %s", status, check, text).stripTrailing() + "\n";
    }

    private String inColour(Status status, String words) {
        String style = switch (status) {
            case OK -> "green";
            case WARNING -> "yellow";
            case PROBLEM -> "bold,red";
        };
        return ansi.string("@|" + style + " " + words + "|@");
    }
}
