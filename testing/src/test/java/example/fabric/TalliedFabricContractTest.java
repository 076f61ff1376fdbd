package example.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.FabricContract;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.Opcode;

/** What Verbena exports is enough for a fabric of somebody else's, for its test, and for devices over it. */
class TalliedFabricContractTest extends FabricContract {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Shape SHAPE = Shape.of(1_000);

    @Override
    protected Fabric open() {
        return tallied();
    }

    private static TalliedFabric tallied() {
        NetworkOptions network = NetworkOptions.defaults();
        return new TalliedFabric(Fabrics.select("shm", network).open(network));
    }

    @Test
    void aDeviceSendsOverIt() {
        TalliedFabric fabric = tallied();
        try (RdmaDevice to = RdmaDevice.create(RdmaDeviceOptions.defaults().withName("receiver"), tallied());
                RdmaDevice from = RdmaDevice.create(RdmaDeviceOptions.defaults().withName("sender"), fabric);
                TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, 1 << 20);
                TensorArena source = TensorArena.create(from.slabSource(), 1 << 16, 1 << 20);
                TensorReceiver receiver = to.receiver("edge", target, ElementType.UINT8, SHAPE, 1);
                TensorSender sender = from.channel(to.endpoint(), 0).sender("edge", ElementType.UINT8, SHAPE, TIMEOUT);
                Tensor tensor = source.allocate(ElementType.UINT8, SHAPE)) {
            long before = fabric.byteSize(Opcode.WRITE);
            tensor.memory().fill((byte) 7);
            sender.send(tensor, TIMEOUT);
            try (Tensor arrived = receiver.poll(TIMEOUT)) {
                assertEquals(-1, arrived.memory().mismatch(tensor.memory()));
            }
            assertTrue(fabric.byteSize(Opcode.WRITE) - before >= 1_000,
                    "it has counted " + fabric.byteSize(Opcode.WRITE));
        }
    }
}
