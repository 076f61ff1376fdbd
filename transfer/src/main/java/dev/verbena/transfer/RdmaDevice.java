package dev.verbena.transfer;

import java.time.Duration;
import java.util.function.Consumer;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.MemoryRegion;

/** Interim signature. The device of EuroSys'19 §3.1. Thread-safe. */
public final class RdmaDevice implements AutoCloseable {
    private RdmaDevice() {}

    public static RdmaDevice create(RdmaDeviceOptions options) {
        throw new UnsupportedOperationException();
    }

    public String name() {
        throw new UnsupportedOperationException();
    }

    public String fabricName() {
        throw new UnsupportedOperationException();
    }

    public Endpoint endpoint() {
        throw new UnsupportedOperationException();
    }

    public Capabilities capabilities() {
        throw new UnsupportedOperationException();
    }

    public MemoryRegion allocateRegion(long byteSize) {
        throw new UnsupportedOperationException();
    }

    /** Slabs registered once with this device, for arenas. */
    public SlabSource slabSource() {
        throw new UnsupportedOperationException();
    }

    /** Connects on first use; further calls share the connection. */
    public RdmaChannel channel(Endpoint remote, int queuePairIndex) {
        throw new UnsupportedOperationException();
    }

    public void handle(String method, RpcHandler handler) {
        throw new UnsupportedOperationException();
    }

    public byte[] call(Endpoint remote, String method, byte[] request, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    /** Preallocates depth slots in the arena (which must be over {@link #slabSource()}) and announces them under the name. */
    public TensorReceiver receiver(String name, TensorArena arena, ElementType type, Shape shape, int depth) {
        throw new UnsupportedOperationException();
    }

    /** Bytes that a receiver of these takes in the arena; for planning. */
    public static long receiverByteSize(ElementType type, Shape shape, int depth) {
        throw new UnsupportedOperationException();
    }

    /** Changes whenever something may have arrived; see {@link #awaitActivity}. */
    public long activity() {
        throw new UnsupportedOperationException();
    }

    /** Parks the caller until activity() differs from seen or the timeout passes; for loops that poll receivers. */
    public void awaitActivity(long seen, long timeoutNs) {
        throw new UnsupportedOperationException();
    }

    /** Called once for each lost peer with a sentence that names it. */
    public void onPeerLost(Consumer<String> listener) {
        throw new UnsupportedOperationException();
    }

    /** Tells all peers why this process gives up. */
    public void abort(String cause) {
        throw new UnsupportedOperationException();
    }

    public DeviceStatistics statistics() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
