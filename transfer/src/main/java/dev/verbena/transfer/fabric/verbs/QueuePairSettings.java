package dev.verbena.transfer.fabric.verbs;

import java.util.List;
import java.util.Locale;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Setting;

/** What is configured of queue pairs, whatever the port, in words. */
final class QueuePairSettings {
    private static final NetworkOptions DEFAULTS = NetworkOptions.defaults();
    /** InfiniBand Architecture Specification volume 1, §9.7.6.1.3: the unit that the timeout doubles. */
    private static final double TIMEOUT_UNIT_MS = 4.096e-3;

    private QueuePairSettings() {}

    static List<Setting> of(NetworkOptions network) {
        int timeout = network.timeout();
        return List.of(setting("pkeyIndex", network.pkeyIndex(), DEFAULTS.pkeyIndex(), ""),
                setting("queueDepth", network.queueDepth(), DEFAULTS.queueDepth(), ", as far as the device goes"),
                setting("timeout", timeout, DEFAULTS.timeout(), timeout == 0 ? ", for ever"
                        : String.format(Locale.ROOT, ", %.3g ms", TIMEOUT_UNIT_MS * (1L << timeout))),
                setting("retryCount", network.retryCount(), DEFAULTS.retryCount(), ""),
                setting("serviceLevel", network.serviceLevel(), DEFAULTS.serviceLevel(), ""),
                setting("trafficClass", network.trafficClass(), DEFAULTS.trafficClass(), ""),
                setting("completionMode", network.completionMode().name().toLowerCase(Locale.ROOT),
                        DEFAULTS.completionMode().name().toLowerCase(Locale.ROOT),
                        network.completionMode() == CompletionMode.EVENTS ? ", idle pollers sleep" : ""));
    }

    private static Setting setting(String name, Object value, Object byDefault, String meaning) {
        return new Setting(name, value.toString(), (value.equals(byDefault) ? "the default" : "as configured")
                + meaning);
    }
}
