package dev.verbena.cli;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.verbs.Verbs;
import dev.verbena.verbs.VerbsDevice;
import dev.verbena.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena device}: what tensors can travel over here. */
@Command(name = "device", mixinStandardHelpOptions = true, subcommands = DeviceCommand.ListCommand.class,
        description = "Show RDMA devices and fabrics.")
final class DeviceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say what to do with devices: list");
    }

    /** {@code verbena device list}. */
    @Command(name = "list", mixinStandardHelpOptions = true,
            description = "List this machine's RDMA devices, and what each fabric offers.")
    static final class ListCommand implements Callable<Integer> {
        @Override
        public Integer call() {
            System.out.println("RDMA devices");
            verbsDevices().forEach(line -> System.out.println("  " + line));
            System.out.println("fabrics");
            for (FabricProvider provider : Fabrics.all()) {
                System.out.println("  " + describe(provider));
            }
            return ExitStatus.SUCCESS;
        }

        private static List<String> verbsDevices() {
            String reason = Verbs.unavailableReason();
            if (reason != null) {
                return List.of("none: " + reason);
            }
            try {
                return VerbsDevice.list().stream().flatMap(DeviceCommand.ListCommand::describe).toList();
            } catch (VerbsException e) {
                return List.of("none: " + e.getMessage());
            }
        }

        private static Stream<String> describe(VerbsDevice device) {
            String title = device.name() + "  " + device.nodeType() + "  " + device.transport();
            try {
                return Stream.concat(Stream.of(title), device.query().ports().stream().map(
                        port -> "  port " + port.number() + "  " + port.state() + "  " + port.linkLayer() + "  mtu "
                                + port.activeMtuBytes() + "  " + port.gids().stream()
                                        .map(gid -> "gid " + gid.index() + " " + gid.address() + " " + gid.type())
                                        .toList()));
            } catch (VerbsException e) {
                return Stream.of(title + "  cannot be opened: " + e.getMessage());
            }
        }

        private static String describe(FabricProvider provider) {
            String reason = provider.unavailableReason(NetworkOptions.defaults());
            if (reason != null) {
                return provider.name() + ": " + reason;
            }
            try (Fabric fabric = provider.open(NetworkOptions.defaults())) {
                Capabilities can = fabric.capabilities();
                return provider.name() + ": " + (can.writesInOrder() ? "writes in order" : "writes in any order")
                        + String.format(Locale.ROOT,
                                ", messages up to %,d bytes, regions up to %,d bytes, queues up to %,d",
                                can.messageByteSizeMax(), can.regionByteSizeMax(), can.depthMax())
                        + (provider.name().equals(SharedMemory.FABRIC)
                                ? String.format(Locale.ROOT, ", %,d bytes free in %s", SharedMemory.usableByteSize(),
                                        SharedMemory.folder())
                                : "");
            }
        }
    }
}
