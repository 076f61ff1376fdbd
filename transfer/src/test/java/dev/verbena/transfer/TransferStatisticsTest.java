package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

class TransferStatisticsTest {
    private static final Shape SHAPE = Shape.of(4, 4);
    private static final long BYTE_SIZE = 64;

    private static TransferStatistics only(List<TransferStatistics> all) {
        assertEquals(1, all.size(), all::toString);
        return all.getFirst();
    }

    @Test
    void bothEndsCountWhatWasMovedAndByWhom() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, ElementType.FLOAT32, SHAPE,
                        2);
                TensorSender sender = pair.channel().sender("edge", ElementType.FLOAT32, SHAPE, DevicePair.TIMEOUT);
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20);
                Tensor unregistered = ordinary.allocate(ElementType.FLOAT32, SHAPE);
                Tensor tensor = pair.floats(16, 1).reshaped(SHAPE)) {
            for (int i = 0; i < 32; i++) {
                sender.send(tensor, DevicePair.TIMEOUT);
                receiver.poll(DevicePair.TIMEOUT).close();
            }
            DevicePair.awaitTrue(pair.sender,
                    () -> sender.offerCopy(unregistered, pair.senderArena, null) == SendResult.SENT);
            DevicePair.awaitTrue(pair.sender, () -> sender.offer(tensor, null) == SendResult.SENT);
            long backPressured = only(pair.sender.transferStatistics()).backPressured();
            assertEquals(SendResult.BACK_PRESSURED, sender.offer(tensor, null));

            TransferStatistics sent = only(pair.sender.transferStatistics());
            assertEquals("edge", sent.name());
            assertEquals(pair.receiver.name(), sent.peer());
            assertEquals(false, sent.receives());
            assertTrue(sent.choice().startsWith("static placement; tail: both ends' queue pairs"), sent.choice());
            assertEquals(34, sent.tensors());
            assertEquals(34 * BYTE_SIZE, sent.byteSize());
            assertEquals(1, sent.stagedTensors());
            assertEquals(BYTE_SIZE, sent.stagedByteSize());
            assertEquals(34 * BYTE_SIZE, sent.fabricByteSize());
            assertEquals(backPressured + 1, sent.backPressured());
            assertTrue(sent.latencies().count() >= 2, sent.latencies()::toString);
            assertTrue(sent.latencies().percentileNs(50) > 0);

            TransferStatistics received = only(pair.receiver.transferStatistics());
            assertEquals(true, received.receives());
            assertEquals(pair.sender.name(), received.peer());
            assertEquals(32, received.tensors());
            assertEquals(32 * BYTE_SIZE, received.byteSize());
            assertEquals(0, received.fabricByteSize(), "the sender's processor moved them");

            List<DeviceSnapshot> devices = DeviceSnapshot.ofProcess(ProcessHandle.current().pid()).stream()
                    .filter(device -> device.name().equals(pair.sender.name())).toList();
            assertEquals(1, devices.size());
            assertEquals("shm", devices.getFirst().fabric());
            assertEquals(pair.sender.statistics().registeredByteSize(), devices.getFirst().registeredByteSize());
            assertEquals(34, only(devices.getFirst().transfers()).tensors());
            receiver.poll(DevicePair.TIMEOUT).close();
            receiver.poll(DevicePair.TIMEOUT).close();
        }
    }

    /** The receiver reads them, so its processor moves the bytes. */
    @Test
    void ofDynamicAllocationTheTensorsCountAndNotTheirRecords() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                DynamicTensorReceiver receiver = pair.receiver.dynamicReceiver("edge", pair.receiverArena, 2);
                DynamicTensorSender sender = pair.channel().dynamicSender("edge", DevicePair.TIMEOUT);
                TensorArena readable = TensorArena.create(pair.sender.readableSlabSource(), 1 << 20, 1 << 20);
                Tensor tensor = readable.allocate(ElementType.FLOAT32, SHAPE)) {
            sender.send(tensor, DevicePair.TIMEOUT);
            receiver.poll(DevicePair.TIMEOUT).close();
            TransferStatistics sent = only(pair.sender.transferStatistics());
            assertEquals(1, sent.tensors());
            assertEquals(BYTE_SIZE, sent.byteSize());
            assertEquals(0, sent.fabricByteSize());
            TransferStatistics received = only(pair.receiver.transferStatistics());
            assertEquals(1, received.tensors());
            assertEquals(BYTE_SIZE, received.fabricByteSize());
            assertTrue(received.choice().startsWith("dynamic allocation; "), received.choice());
        }
    }

    @Test
    void whatIsClosedStaysInTheSumsOfTheDevice() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                Tensor tensor = pair.floats(16, 1).reshaped(SHAPE)) {
            try (TensorReceiver receiver = pair.receiver.receiver("edge", pair.receiverArena, ElementType.FLOAT32,
                    SHAPE, 2);
                    TensorSender sender = pair.channel().sender("edge", ElementType.FLOAT32, SHAPE,
                            DevicePair.TIMEOUT)) {
                sender.send(tensor, DevicePair.TIMEOUT);
                receiver.poll(DevicePair.TIMEOUT).close();
            }
            assertEquals(List.of(), pair.sender.transferStatistics());
            assertEquals(List.of(), pair.receiver.transferStatistics());
            assertEquals(1, pair.sender.statistics().transfers());
            assertEquals(BYTE_SIZE, pair.sender.statistics().transferredByteSize());
            assertEquals(0, pair.receiver.statistics().transfers());
        }
    }

    @Test
    void whatCannotBeMadeCountsNothing() {
        try (DevicePair pair = new DevicePair(DevicePair.options(ArrivalMode.AUTO));
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 20, 1 << 20)) {
            assertThrows(IllegalArgumentException.class,
                    () -> pair.receiver.receiver("edge", ordinary, ElementType.FLOAT32, SHAPE, 2));
            assertEquals(List.of(), pair.receiver.transferStatistics());
        }
    }
}
