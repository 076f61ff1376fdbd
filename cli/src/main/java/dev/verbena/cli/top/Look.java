package dev.verbena.cli.top;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.transfer.DeviceSnapshot;
import dev.verbena.transfer.TransferStatistics;

/**
 * What all devices had counted at one moment.
 *
 * @param atNs by a clock that only goes on
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Look(long atNs, List<DeviceSnapshot> devices) {
    /** A sender or a receiver, between two looks. */
    private record Key(long processId, String device, boolean receives, String name, String peer) {
        static Key of(DeviceSnapshot device, TransferStatistics transfer) {
            return new Key(device.processId(), device.name(), transfer.receives(), transfer.name(), transfer.peer());
        }
    }

    /** What each has done since the earlier look, who moved most bytes first. */
    List<Flow> since(Look earlier) {
        Map<Key, TransferStatistics> before = new HashMap<>();
        for (DeviceSnapshot device : earlier.devices) {
            device.transfers().forEach(transfer -> before.put(Key.of(device, transfer), transfer));
        }
        List<Flow> flows = new ArrayList<>();
        for (DeviceSnapshot device : devices) {
            for (TransferStatistics transfer : device.transfers()) {
                flows.add(Flow.between(device, before.get(Key.of(device, transfer)), transfer,
                        (atNs - earlier.atNs) / 1e9));
            }
        }
        flows.sort(Comparator.comparingDouble(Flow::bytesPerSecond).reversed()
                .thenComparing(Flow::processId).thenComparing(Flow::name));
        return flows;
    }
}
