package dev.verbena.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.verbs.Verbs;
import dev.verbena.verbs.VerbsDevice;
import dev.verbena.verbs.VerbsLibrary;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena info}: what there is for tensors to travel over, and what would be used. */
@Command(name = "info", mixinStandardHelpOptions = true,
        description = "Show this machine's RDMA devices, ports, GIDs and limits, and what each fabric would use and why.")
final class InfoCommand implements Callable<Integer> {
    @Mixin
    private JsonOutput json;
    @Mixin
    private NetworkArguments network;

    @Override
    public Integer call() {
        json.check();
        Map<String, Object> info = ask(network.options());
        json.write(info);
        json.text().print(Outline.of(info));
        return ExitStatus.SUCCESS;
    }

    private static Map<String, Object> ask(NetworkOptions network) {
        try (WaitNotices.Notice _ = WaitNotices.onStandardError().beginAskingDevices()) {
            return describe(network);
        }
    }

    private static Map<String, Object> describe(NetworkOptions network) {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("verbena", Verbena.Version.ofBuild());
        info.put("java", Runtime.version().toString());
        info.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch"));
        info.put("libraries", VerbsLibrary.all().stream().map(InfoCommand::describe).toList());
        String reason = Verbs.unavailableReason();
        if (reason != null) {
            info.put("rdma", reason);
        }
        info.put("devices", VerbsDevice.list().stream().map(DeviceInfo::of).toList());
        List<FabricInfo> fabrics = Fabrics.all().stream().map(provider -> FabricInfo.of(provider, network)).toList();
        info.put("fabrics", fabrics.stream().map(FabricInfo::toMap).toList());
        info.put("auto", FabricInfo.auto(fabrics));
        return info;
    }

    private static Map<String, Object> describe(VerbsLibrary library) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("soname", library.soname());
        map.put("path", library.path());
        map.put("release", library.release());
        map.put("problem", library.problem());
        map.values().removeIf(value -> value == null);
        return map;
    }
}
