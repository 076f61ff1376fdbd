package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.PeerSecret;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class NetworkArgumentsTest {
    private static final List<String> ALL = List.of("--rdma-device=rxe0", "--rdma-port=2", "--rdma-gid-index=3",
            "--rdma-pkey-index=4", "--rdma-queue-depth=512", "--rdma-timeout=18", "--rdma-retry-count=6",
            "--rdma-service-level=5", "--rdma-mtu=2048", "--rdma-traffic-class=106", "--rdma-completion-mode=EVENTS",
            "--rdma-connect=CM", "--peer-timeout-ms=2500");

    @Command
    private static final class Holder {
        @Mixin
        private NetworkArguments network;
    }

    @Test
    void optionsOverrideTheEnvironment() {
        Map<String, String> environment = Map.of("RDMA_QP_TIMEOUT", "20", "RDMA_QP_MTU", "512");
        NetworkOptions expected = NetworkOptions.defaults().withTimeout(16).withMtu(512);
        assertEquals(expected, parse("--rdma-timeout=16").options(environment));
        // What is overridden need not make sense.
        assertEquals(expected, parse("--rdma-timeout=16", "--rdma-mtu=512").options(Map.of("RDMA_QP_MTU", "x")));
        assertEquals(NetworkOptions.ofEnvironment(environment), parse().options(environment));
    }

    @Test
    void everyOptionCountsAndIsHandedOn() {
        NetworkArguments all = parse(ALL.toArray(String[]::new));
        assertEquals(new NetworkOptions("rxe0", 2, 3, 4, 512, 18, 6, 5, 2048, 106, CompletionMode.EVENTS,
                ConnectMode.CM, 2500, null, null),
                all.options(Map.of()));
        assertEquals(ALL, all.toCommandLine());
        assertEquals(List.of(), parse().toCommandLine());
    }

    @Test
    void everyOptionOverridesItsOwnVariable() {
        Map<String, String> nonsense = Map.ofEntries(Map.entry("RDMA_DEVICE", "other"),
                Map.entry("RDMA_DEVICE_PORT", "x"), Map.entry("RDMA_GID_INDEX", "x"),
                Map.entry("RDMA_QP_PKEY_INDEX", "x"), Map.entry("RDMA_QP_QUEUE_DEPTH", "x"),
                Map.entry("RDMA_QP_TIMEOUT", "x"), Map.entry("RDMA_QP_RETRY_COUNT", "x"),
                Map.entry("RDMA_QP_SL", "x"), Map.entry("RDMA_QP_MTU", "x"), Map.entry("RDMA_TRAFFIC_CLASS", "x"),
                Map.entry("RDMA_COMPLETION_MODE", "x"), Map.entry("RDMA_CONNECT", "x"),
                Map.entry("VERBENA_PEER_TIMEOUT_MS", "x"));
        NetworkArguments all = parse(ALL.toArray(String[]::new));
        assertEquals(all.options(Map.of()), all.options(nonsense));
    }

    @Test
    void theSecretComesFromAFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), "0123456789abcdef");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        NetworkArguments arguments = parse("--secret-file=" + file);
        assertEquals(PeerSecret.ofFile(file), arguments.options(Map.of("VERBENA_SECRET_FILE", "/nowhere")).secret());
        assertEquals(List.of("--secret-file=" + file), arguments.toCommandLine());
        String missing = assertThrows(BadInputException.class, () -> parse("--secret-file=/nowhere").options(Map.of()))
                .getMessage();
        assertTrue(missing.startsWith("--secret-file=/nowhere: "), missing);
    }

    @Test
    void complaintsNameTheOptionOrTheVariable() {
        String option = assertThrows(BadInputException.class, () -> parse("--rdma-retry-count=8").options(Map.of()))
                .getMessage();
        assertTrue(option.startsWith("--rdma-retry-count=8: ") && option.endsWith("from 0 to 7"), option);
        String variable = assertThrows(BadInputException.class, () -> parse().options(Map.of("RDMA_QP_SL", "16")))
                .getMessage();
        assertTrue(variable.contains("RDMA_QP_SL=16"), variable);
    }

    private static NetworkArguments parse(String... arguments) {
        Holder holder = new Holder();
        new CommandLine(holder).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
        return holder.network;
    }
}
