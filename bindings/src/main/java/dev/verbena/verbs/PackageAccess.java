package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.ToIntFunction;

import dev.verbena.verbs.abi.ibv_qp_attr;
import dev.verbena.verbs.bridge.QueuePairMaker;
import dev.verbena.verbs.bridge.VerbsAccess;

/**
 * What this package does for the other packages of its module.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class PackageAccess extends VerbsAccess {
    @Override
    public DeviceContext borrow(MemorySegment context, Runnable closing) {
        return DeviceContext.borrow(context, closing);
    }

    @Override
    public QueuePair createQueuePair(DeviceContext device, ProtectionDomain domain, QueuePairOptions options,
            QueuePairMaker maker) {
        device.requireOwn(domain.context(), domain);
        options.checkContext(device);
        return domain.whileOpen(() -> options.whileOpen(() -> QueuePair.create(domain, maker, options)));
    }

    @Override
    public void reached(DeviceContext device, int queuePairNumber, QueuePairState state) {
        QueuePair pair = device.events().queuePair(queuePairNumber);
        if (pair != null) {
            pair.reach(state);
        }
    }

    @Override
    public QueuePairAttributes attributes(QueuePairState state, ToIntFunction<MemorySegment> fill) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = ibv_qp_attr.allocate(arena);
            ibv_qp_attr.qp_state(struct, state.code());
            int mask = fill.applyAsInt(struct);
            return QueuePairAttributes.read(struct).only(mask);
        }
    }

    @Override
    public AddressVector addressVector(MemorySegment struct) {
        return AddressVector.read(struct);
    }
}
