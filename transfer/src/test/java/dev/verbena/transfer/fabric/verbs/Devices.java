package dev.verbena.transfer.fabric.verbs;

import java.util.List;

import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.Gid;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;
import dev.verbena.verbs.Guid;
import dev.verbena.verbs.LinkLayer;
import dev.verbena.verbs.NodeType;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.VerbsDevice;

/** Made-up devices, as a machine would describe them. */
final class Devices {
    private static final DeviceLimits LIMITS = new DeviceLimits(1L << 40, 4096, 1024, 16384, 32, 32, 1024, 65536, 1024,
            1024, 16, 16, 1024, 1024, 1024, 16384, 16, 64, 0, 1);

    private Devices() {}

    static LocalDevice device(String name, Port... ports) {
        return new LocalDevice(verbsDevice(name),
                new DeviceAttributes("", new Guid(1), 0, 0, 0, LIMITS, List.of(ports)), null);
    }

    /** One that differs from others in what it can. */
    static LocalDevice device(TransportType transport, int elementCountMax, int readElementCountMax,
            int atomicCapability) {
        DeviceLimits limits = new DeviceLimits(1L << 40, 4096, 1024, 16384, elementCountMax, readElementCountMax, 1024,
                65536,
                1024, 1024, 16, 16, 1024, 1024, 1024, 16384, 16, 64, 0, atomicCapability);
        return new LocalDevice(new VerbsDevice("any0", NodeType.CHANNEL_ADAPTER, transport, new Guid(1)),
                new DeviceAttributes("", new Guid(1), 0, 0, 0, limits, List.of()), null);
    }

    static LocalDevice mute(String name, String problem) {
        return new LocalDevice(verbsDevice(name), null, problem);
    }

    static Port ethernet(int number, PortState state, int activeMtu, GidEntry... gids) {
        return new Port(number, state, 4096, activeMtu, 0, 0, 0, LinkLayer.ETHERNET, 1 << 30, List.of(gids));
    }

    static Port infiniBand(int number, GidEntry... gids) {
        return new Port(number, PortState.ACTIVE, 4096, 4096, 7, 1, 0, LinkLayer.INFINIBAND, 1 << 30, List.of(gids));
    }

    /** ::ffff:a.b.c.d, on network interface 2. */
    static GidEntry ipv4(int index, GidType type, int a, int b, int c, int d) {
        return new GidEntry(index, Gid.parse("::ffff:" + a + "." + b + "." + c + "." + d), type, 2);
    }

    static GidEntry ipv6(int index, GidType type, long subnetPrefix) {
        return new GidEntry(index, new Gid(subnetPrefix, 1), type, 2);
    }

    private static VerbsDevice verbsDevice(String name) {
        return new VerbsDevice(name, NodeType.CHANNEL_ADAPTER, TransportType.INFINIBAND, new Guid(1));
    }
}
