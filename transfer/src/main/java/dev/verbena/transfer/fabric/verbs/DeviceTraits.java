package dev.verbena.transfer.fabric.verbs;

import java.util.List;

import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Setting;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.VerbsDevice;

/**
 * In what devices differ, as far as the fabric has to make up for it: whatever it does for one device and not for another it decides
 * by these.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param connectsByCm whether its queue pairs are connected through the connection manager
 * @param isTold whether a request completes when the peer has it, and fails with the peer's reason, waits for a receive that is not
 *     posted, and may carry an immediate; where not, {@link FramedSends} makes up for it
 * @param movesStates whether the program brings its queue pairs from state to state; not where the kernel does when they are connected
 * @param hasAtomics compare-and-swap and fetch-and-add
 * @param elementCountMax elements of a request that is no read
 * @param readElementCountMax elements that a read scatters to
 * @param settings the same for people, each with its reason
 */
record DeviceTraits(boolean connectsByCm, boolean movesStates, boolean isTold, boolean hasAtomics, int elementCountMax,
        int readElementCountMax, List<Setting> settings) {
    private static final int ELEMENT_COUNT_MAX = 16;
    /** Of soft-iWARP, drivers/infiniband/sw/siw/siw.h. */
    private static final int SOFT_IWARP_VENDOR_ID = 0x626d74;

    DeviceTraits {
        settings = List.copyOf(settings);
    }

    /** @throws TransferException if it cannot be connected as it is asked to be */
    static DeviceTraits of(LocalDevice local, ConnectMode connectMode) {
        VerbsDevice device = local.device();
        DeviceLimits limits = local.attributes().limits();
        boolean isIwarp = device.transport() == TransportType.IWARP;
        if (isIwarp && connectMode == ConnectMode.DIRECT) {
            throw new TransferException("device " + device.name()
                    + " speaks iWARP, which is connected through rdma_cm only; set RDMA_CONNECT to auto or cm, or unset it");
        }
        boolean connectsByCm = device.transport().needsConnectionManager() || connectMode == ConnectMode.CM;
        boolean hasAtomics = device.transport().hasAtomics() && limits.atomicCapability() != 0;
        // One element of a message is the header that iWARP has no immediate for.
        int elementCountMax = Math.min(limits.elementCountMax() - (isIwarp ? 1 : 0), ELEMENT_COUNT_MAX);
        int readElementCountMax = Math.clamp(limits.readElementCountMax(), 1, elementCountMax);
        return new DeviceTraits(connectsByCm, !isIwarp, !isIwarp, hasAtomics, elementCountMax, readElementCountMax,
                List.of(connect(connectMode, isIwarp), delivery(isIwarp), atomics(isIwarp, hasAtomics),
                        readRight(local.attributes().vendorId()),
                        new Setting("elementCountMax", Integer.toString(elementCountMax), isIwarp
                                ? "max_sge, without the one for a header" : "max_sge, and no more than "
                                        + ELEMENT_COUNT_MAX),
                        new Setting("readElementCountMax", Integer.toString(readElementCountMax), "max_sge_rd")));
    }

    private static Setting connect(ConnectMode mode, boolean isIwarp) {
        if (mode != ConnectMode.AUTO) {
            return new Setting("connect", mode == ConnectMode.CM ? "cm" : "direct",
                    "RDMA_CONNECT or --rdma-connect asks for it");
        }
        return isIwarp ? new Setting("connect", "cm", "iWARP is connected through rdma_cm only (RFC 5044)")
                : new Setting("connect", "direct", "the device needs no connection manager");
    }

    private static Setting delivery(boolean isIwarp) {
        return isIwarp ? new Setting("delivery", "asked for",
                "iWARP reports what was sent, not what arrived, has no immediates, and breaks the connection where no receive is"
                        + " posted (RFC 5040): a small read behind each reported request asks, and a header carries the immediate")
                : new Setting("delivery", "acknowledged", "the transport does so");
    }

    private static Setting atomics(boolean isIwarp, boolean hasAtomics) {
        return new Setting("atomics", hasAtomics ? "yes" : "no", hasAtomics ? "atomic_cap"
                : isIwarp ? "iWARP has none (RFC 5040)" : "atomic_cap=0: the device has none");
    }

    private static Setting readRight(int vendorId) {
        return vendorId == SOFT_IWARP_VENDOR_ID
                ? new Setting("readRight", "not checked",
                        "soft-iWARP lets peers that have a region's key read it without REMOTE_READ")
                : new Setting("readRight", "checked", "the device does so, as each right");
    }

    /** Of what a fabric with these options would use. */
    static DeviceTraits of(LocalDevice device, NetworkOptions network) {
        return of(device, network.connectMode());
    }
}
