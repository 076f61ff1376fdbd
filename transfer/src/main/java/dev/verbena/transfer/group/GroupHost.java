package dev.verbena.transfer.group;

import java.util.function.BiFunction;
import java.util.function.Function;

import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.protocol.ArrivalChoice;
import dev.verbena.transfer.protocol.ControlMemory;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.SenderDirectory;
import dev.verbena.transfer.protocol.TransferCounters;
import dev.verbena.transfer.spi.Capabilities;

/**
 * What groups use of their device.
 *
 * @param arrivals how they are seen
 * @param senderCounters made for a name and a peer's name
 * @param receiverCounters made for a name
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public record GroupHost(Engines engines, ReceiverDirectory receivers, SenderDirectory senders,
        ControlMemory controlMemory, Capabilities capabilities, ArrivalChoice arrivals, GroupDirectory groups,
        BiFunction<String, String, TransferCounters> senderCounters,
        Function<String, TransferCounters> receiverCounters) {}
