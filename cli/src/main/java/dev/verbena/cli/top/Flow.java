package dev.verbena.cli.top;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import dev.verbena.transfer.DeviceSnapshot;
import dev.verbena.transfer.TransferStatistics;

/**
 * A sender or a receiver at work: rates between two looks. What a CPU moved is in parts of the payload's bytes.
 *
 * @param receives whether it is the receiving end
 * @param tensors since it was made
 * @param staged copied into registered memory before sending; 1 for each byte
 * @param fabric moved by this end's CPU, as there is no adapter; 1 for each byte
 * @param p50Ns of the tensors timed between the two looks; 0 if there was none
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Flow(long processId, String device, boolean receives, String name, String peer, String choice, long tensors,
        double tensorsPerSecond, double bytesPerSecond, double staged, double fabric, double backPressuredPerSecond,
        long p50Ns, long p99Ns) {
    private static final String FORMAT = "%8s %-14s %-2s %-14s %-24s %11s %10s %7s %7s %10s %9s %9s  %s";
    static final String HEADER = String.format(FORMAT, "pid", "device", "", "peer", "tensor", "tensors/s", "MiB/s",
            "staged", "fabric", "refused/s", "p50[us]", "p99[us]", "how");

    /** @param before null if it was not there at the earlier look */
    static Flow between(DeviceSnapshot device, TransferStatistics before, TransferStatistics now, double seconds) {
        // Another one of the same name may have come in its place.
        boolean isSame = before != null && before.tensors() <= now.tensors();
        long tensors = now.tensors() - (isSame ? before.tensors() : 0);
        long bytes = now.byteSize() - (isSame ? before.byteSize() : 0);
        long staged = now.stagedByteSize() - (isSame ? before.stagedByteSize() : 0);
        long fabric = now.fabricByteSize() - (isSame ? before.fabricByteSize() : 0);
        long refused = now.backPressured() - (isSame ? before.backPressured() : 0);
        TransferStatistics.Latencies latencies = isSame ? now.latencies().since(before.latencies()) : now.latencies();
        return new Flow(device.processId(), device.name(), now.receives(), now.name(), now.peer(), now.choice(),
                now.tensors(), tensors / seconds, bytes / seconds, share(staged, bytes), share(fabric, bytes),
                refused / seconds, latencies.percentileNs(50), latencies.percentileNs(99));
    }

    private static double share(long part, long bytes) {
        return bytes == 0 ? 0 : (double) part / bytes;
    }

    /** One line. */
    String line() {
        return String.format(Locale.ROOT, FORMAT, processId, printable(device, 14), receives ? "<-" : "->",
                printable(peer.isEmpty() ? "-" : peer, 14), printable(name, 24), number("%.0f", tensorsPerSecond),
                number("%.1f", bytesPerSecond / (1 << 20)), number("%.2f", staged), number("%.2f", fabric),
                number("%.0f", backPressuredPerSecond), microseconds(p50Ns), microseconds(p99Ns),
                printable(choice, 80));
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static String microseconds(long ns) {
        return ns == 0 ? "-" : number("%.1f", ns / 1e3);
    }

    /** Other processes' names: what could steer a terminal is shown as a question mark; what is long ends in an ellipsis. */
    private static String printable(String text, int lengthMax) {
        String clean = text.replaceAll("\\p{C}", "?");
        return clean.length() <= lengthMax ? clean : clean.substring(0, lengthMax - 1) + "…";
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pid", processId);
        map.put("device", device);
        map.put("direction", receives ? "receives" : "sends");
        map.put("name", name);
        map.put("peer", peer);
        map.put("how", choice);
        map.put("tensors", tensors);
        map.put("tensorsPerSecond", tensorsPerSecond);
        map.put("bytesPerSecond", bytesPerSecond);
        map.put("stagedShare", staged);
        map.put("fabricShare", fabric);
        map.put("backPressuredPerSecond", backPressuredPerSecond);
        map.put("p50Ns", p50Ns == 0 ? null : p50Ns);
        map.put("p99Ns", p99Ns == 0 ? null : p99Ns);
        return map;
    }
}
