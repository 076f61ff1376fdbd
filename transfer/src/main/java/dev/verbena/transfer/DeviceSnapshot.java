package dev.verbena.transfer;

import java.util.List;

import dev.verbena.transfer.counters.CounterFile;
import dev.verbena.transfer.counters.CounterRow;
import dev.verbena.transfer.counters.CounterRow.Text;
import dev.verbena.transfer.counters.CounterRow.Word;

/**
 * A device as another process of the same user and machine sees it: its counters lie in shared memory, and looking at them takes nothing
 * from who counts.
 *
 * @param processId of the process that has the device
 * @param name of the device
 * @param fabric its name
 * @param registeredByteSize bytes registered at present
 * @param registrations regions and slabs ever registered
 * @param transfers its senders and receivers
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record DeviceSnapshot(long processId, String name, String fabric, long registeredByteSize, long registrations,
        List<TransferStatistics> transfers) {
    /** Keeps a copy of the list of transfers, which must hold no null. */
    public DeviceSnapshot {
        transfers = List.copyOf(transfers);
    }

    /** Those of a process that have, or had, a sender or a receiver; none if there is no such process, or one of another user. */
    public static List<DeviceSnapshot> ofProcess(long processId) {
        return CounterFile.ofProcess(processId).stream().map(rows -> of(processId, rows)).toList();
    }

    /** Those of all processes of this user. */
    public static List<DeviceSnapshot> all() {
        return ProcessHandle.allProcesses().flatMap(process -> ofProcess(process.pid()).stream()).toList();
    }

    private static DeviceSnapshot of(long processId, List<CounterRow> rows) {
        CounterRow device = rows.getFirst();
        return new DeviceSnapshot(processId, device.text(Text.NAME), device.text(Text.CHOICE),
                device.get(Word.REGISTERED_BYTES), device.get(Word.REGISTRATIONS),
                rows.stream().skip(1).map(TransferStatistics::of).toList());
    }
}
