package dev.verbena.cli.top;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.BadInputException;
import dev.verbena.cli.ExitStatus;
import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JsonOutput;
import dev.verbena.transfer.DeviceSnapshot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code verbena top}: the tensors that this user's processes are sending and receiving, and what CPUs move for them. It reads their
 * counters in shared memory, and they do not notice.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> confined to the thread that runs it.
 */
@Command(name = "top", mixinStandardHelpOptions = true,
        description = "Show what this user's processes send and receive, tensor by tensor, while they run.",
        footer = {
                "staged: bytes that a CPU copied into registered memory, for each byte sent. fabric: bytes that a CPU"
                        + " of this end moved, since the fabric has no adapter. refused: offers that met back-pressure. p50, p99:"
                        + " from the offer until the tensor was free again, of one in sixteen. With --json a line for each look, or in FILE the last one. Ctrl-C ends it."})
public final class TopCommand implements Callable<Integer> {
    /** Home and clear; what follows is written over what was there. */
    private static final String CLEAR = "\u001b[H\u001b[2J";
    private static final double SECONDS_MIN = 0.01;
    private static final double SECONDS_MAX = 3600;

    @Parameters(paramLabel = "PID", arity = "0..*",
            description = "These processes only; default: all of this user that send or receive.")
    private List<Long> processIds = List.of();
    @Option(names = "--interval", paramLabel = "SECONDS", defaultValue = "1",
            description = "Between two looks; default ${DEFAULT-VALUE}.")
    private double seconds;
    @Option(names = "--looks", paramLabel = "N",
            description = "How often; default: until it is interrupted on a terminal, once elsewhere.")
    private Integer looks;
    @Mixin
    private JsonOutput json;

    @Override
    public Integer call() throws InterruptedException {
        check();
        json.check();
        boolean isTerminal = System.console() != null && System.console().isTerminal();
        long left = looks != null ? looks : isTerminal && !json.isPrinted() ? Long.MAX_VALUE : 1;
        Look before = look();
        for (; left > 0; left--) {
            TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
            Look now = look();
            print(now, now.since(before), isTerminal);
            before = now;
        }
        return ExitStatus.SUCCESS;
    }

    private void check() {
        if (!(seconds >= SECONDS_MIN && seconds <= SECONDS_MAX)) {
            throw new BadInputException(
                    "--interval=" + seconds + " is not from " + SECONDS_MIN + " to " + SECONDS_MAX + " seconds");
        }
        if (looks != null && looks < 1) {
            throw new BadInputException("--looks=" + looks + " is not positive");
        }
        for (long processId : processIds) {
            if (ProcessHandle.of(processId).isEmpty()) {
                throw new BadInputException("PID=" + processId + ": there is no such process");
            }
        }
    }

    private Look look() {
        long nowNs = System.nanoTime();
        if (processIds.isEmpty()) {
            return new Look(nowNs, DeviceSnapshot.all());
        }
        List<DeviceSnapshot> devices = processIds.stream().flatMap(id -> DeviceSnapshot.ofProcess(id).stream())
                .toList();
        if (devices.isEmpty()) {
            throw new FailedRunException("PID=" + processIds + ": no device there that sends or receives, it has ended,"
                    + " or it is another user's");
        }
        return new Look(nowNs, devices);
    }

    private void print(Look look, List<Flow> flows, boolean isTerminal) {
        json.writeLine(Map.of("devices", look.devices().stream().map(TopCommand::toMap).toList(),
                "transfers", flows.stream().map(Flow::toMap).toList()));
        StringBuilder screen = new StringBuilder(isTerminal ? CLEAR : "");
        if (flows.isEmpty()) {
            screen.append("no process of this user sends or receives tensors\n");
        } else {
            screen.append(Flow.HEADER).append('\n');
            flows.forEach(flow -> screen.append(flow.line()).append('\n'));
        }
        json.text().print(screen);
        json.text().flush();
    }

    private static Map<String, Object> toMap(DeviceSnapshot device) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pid", device.processId());
        map.put("name", device.name());
        map.put("fabric", device.fabric());
        map.put("registeredBytes", device.registeredByteSize());
        map.put("registrations", device.registrations());
        return map;
    }
}
